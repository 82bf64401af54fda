"""What others may build on changes only on purpose.

After a change that is meant: ``make surface``, and read the difference in ``surface.txt``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from belief_memory.testing.surface import REWRITE, differences, surface

MODULES = (
    "belief_memory",
    "belief_memory.learning",
    "belief_memory.ports",
    "belief_memory.board",
)
SNAPSHOT = Path(__file__).with_name("surface.txt")


def test_the_public_surface_is_the_one_that_was_written_down() -> None:
    changed = differences(SNAPSHOT, *MODULES)
    assert not changed, f"\n{changed}\nIf this is meant: make surface"


SHOP = """
from decimal import Decimal

from shop.stock import Shelf

__all__ = ["Basket", "Decimal", "Shelf", "pay"]

class Things:
    def count(self, *, of: str | None = None) -> int: ...

class Basket(Things):
    size: int = 3
    def put(self, thing: str, /, *others: str, safe: bool = True) -> None: ...
    def _weigh(self) -> float: ...

def pay(amount: int = 5) -> bool: ...
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(REWRITE, raising=False)
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "stock.py").write_text("class Shelf:\n    def fill(self) -> None: ...\n")
    (folder / "__init__.py").write_text(SHOP)
    return folder / "__init__.py"


def test_a_surface_has_kinds_defaults_annotations_and_inherited_methods(shop: Path) -> None:
    text = surface("shop")
    assert "def put(thing: str, /, *others: str, safe: bool = True) -> None" in text
    assert "def count(*, of: str | None = None) -> int" in text
    assert "size: int = 3" in text
    assert "class Basket(Things)" in text
    assert "class Shelf\n    def fill() -> None" in text
    assert "Decimal is decimal.Decimal" in text
    assert "_weigh" not in text
    assert "class Things" not in text


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("amount: int = 5", "amount: int = 6"),
        ("amount: int = 5", "amount: float = 5"),
        ("amount: int = 5", "*, amount: int = 5"),
        ("amount: int = 5", "amount: int"),
        ("-> bool", "-> int"),
        ("def count", "def number"),
        ("size: int = 3", "size: int = 4"),
        ('"Shelf", ', ""),
    ],
)
def test_each_kind_of_change_is_seen(shop: Path, was: str, now: str) -> None:
    snapshot = shop.with_name("surface.txt")
    snapshot.write_text(surface("shop"))
    assert differences(snapshot, "shop") == ""
    assert was in SHOP
    shop.write_text(SHOP.replace(was, now))
    assert differences(snapshot, "shop").startswith("--- surface.txt")


def test_a_module_without_a_list_shows_what_it_defines_and_not_what_it_imports(shop: Path) -> None:
    shop.with_name("till.py").write_text("from shop.stock import Shelf\nTotal = int\n_open = 1\n")
    assert surface("shop.till").split("\n\n") == ["# shop.till", "Total = int\n"]


def test_the_other_parts_of_a_namespace_are_not_ours(shop: Path) -> None:
    market = shop.parent.parent / "market"
    for part, text in {
        "theirs": "class Base:\n    def shout(self) -> None: ...\n",
        "ours": """
from market.theirs import Base

__all__ = ["Base", "Stall"]

class Stall(Base):
    def open(self) -> None: ...
""",
    }.items():
        (market / part).mkdir(parents=True)
        (market / part / "__init__.py").write_text(text)
    text = surface("market.ours")
    assert "class Stall(Base)\n    def open() -> None\n" in text
    assert "Base is market.theirs.Base" in text
    assert "shout" not in text


def test_a_change_inside_a_function_is_none(shop: Path) -> None:
    snapshot = shop.with_name("surface.txt")
    snapshot.write_text(surface("shop"))
    shop.write_text(SHOP.replace("-> bool: ...", "-> bool: return True").replace("_weigh", "_w"))
    assert differences(snapshot, "shop") == ""


def test_the_surface_is_written_down_when_that_is_asked_for(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = shop.with_name("surface.txt")
    assert "+def pay" in differences(snapshot, "shop")
    assert not snapshot.exists()
    monkeypatch.setenv(REWRITE, "1")
    assert differences(snapshot, "shop") == ""
    assert snapshot.read_text() == surface("shop")
