"""The three wheels hold what they should and say what they need.

``make versions`` installs them; here they are built offline and looked into.
"""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tomllib
import warnings
import zipfile
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    ROOT,
    ROOT / "integrations" / "langchain-belief-memory",
    ROOT / "integrations" / "llama-index-memory-belief",
)
SOURCES = {
    "belief-memory": "src",
    "langchain-belief-memory": "src",
    "llama-index-memory-belief": ".",
}
MODULES = {
    "belief-memory": "belief_memory",
    "langchain-belief-memory": "langchain_belief_memory",
    "llama-index-memory-belief": "llama_index/memory/belief",
}


@dataclass(frozen=True)
class Wheel:
    name: str
    folder: Path
    files: dict[str, bytes]

    @property
    def metadata(self) -> Message:
        return email.message_from_bytes(self.inside("METADATA"))

    @property
    def payload(self) -> set[str]:
        return {name for name in self.files if ".dist-info/" not in name}

    def inside(self, name: str) -> bytes:
        (found,) = [data for path, data in self.files.items() if path.endswith(f"info/{name}")]
        return found


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Wheel]:
    built = {}
    for folder in FOLDERS:
        into = tmp_path_factory.mktemp("wheel")
        build = ["build", "--wheel", "--no-isolation", "--outdir", str(into), str(folder)]
        done = subprocess.run(
            [sys.executable, "-m", *build], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (path,) = into.glob("*.whl")
        with zipfile.ZipFile(path) as opened:
            files = {name: opened.read(name) for name in opened.namelist()}
        name = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["name"]
        built[name] = Wheel(name, folder, files)
    return built


@pytest.fixture(params=sorted(SOURCES))
def wheel(request: pytest.FixtureRequest, wheels: dict[str, Wheel]) -> Wheel:
    return wheels[request.param]


def test_a_wheel_holds_every_file_of_its_source_and_no_other(wheel: Wheel) -> None:
    source = wheel.folder / SOURCES[wheel.name]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."],
        cwd=source / MODULES[wheel.name],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    here = {name for name in listed if name and (source / MODULES[wheel.name] / name).is_file()}
    assert wheel.payload == {f"{MODULES[wheel.name]}/{name}" for name in here}


def test_a_wheel_is_typed_and_holds_no_tests(wheel: Wheel) -> None:
    assert f"{MODULES[wheel.name]}/py.typed" in wheel.payload
    for path in map(Path, wheel.payload):
        assert "tests" not in path.parts
        assert not path.name.startswith(("test_", "conftest"))


def test_the_namespace_of_llama_index_stays_open(wheels: dict[str, Wheel]) -> None:
    payload = wheels["llama-index-memory-belief"].payload
    assert "llama_index/memory/belief/__init__.py" in payload
    assert not {"llama_index/__init__.py", "llama_index/memory/__init__.py"} & payload


def test_the_metadata_is_complete(wheel: Wheel) -> None:
    told = wheel.metadata
    assert told["Name"] == wheel.name
    assert told["License-Expression"] == "MIT"
    assert told.get_all("License-File") == ["LICENSE"]
    assert b"MIT License" in wheel.inside("licenses/LICENSE")
    assert told["Requires-Python"] == ">=3.11"
    assert len(told["Summary"]) > 40
    assert len(told["Keywords"].split(",")) >= 4
    assert told["Description-Content-Type"] == "text/markdown"
    readme = (wheel.folder / "README.md").read_text(encoding="utf-8")
    assert str(told.get_payload(decode=True), "utf-8").strip() == readme.strip()
    classifiers = told.get_all("Classifier") or []
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.11"} <= set(classifiers)
    # An expression and a classifier of the licence exclude each other (PEP 639).
    assert not [one for one in classifiers if one.startswith("License ::")]


def test_the_metadata_names_no_machine_and_only_pages_anyone_can_open(wheel: Wheel) -> None:
    text = wheel.inside("METADATA").decode()
    assert not re.search(r"/(?:home|root|Users|work|tmp)/[A-Za-z]|localhost|127\.0\.0\.1", text)
    assert not re.search(r"\b(?:file|http)://", text)
    for told in wheel.metadata.get_all("Project-URL") or []:
        assert told.partition(", ")[2].startswith("https://")


def test_the_command_is_installed_with_the_core(wheels: dict[str, Wheel]) -> None:
    points = wheels["belief-memory"].inside("entry_points.txt").decode()
    assert "belief-memory = belief_memory.cli:main" in points


def test_the_integrations_ask_for_the_core_of_this_repository(wheels: dict[str, Wheel]) -> None:
    version = wheels["belief-memory"].metadata["Version"]
    for name in ("langchain-belief-memory", "llama-index-memory-belief"):
        asked = map(Requirement, wheels[name].metadata.get_all("Requires-Dist") or [])
        (core,) = [one for one in asked if one.name == "belief-memory"]
        assert core.specifier.contains(version)
        assert not core.specifier.contains("1.0"), "a next major version may break it"


def deptry(folder: Path, pyproject: Path) -> str:
    """What deptry finds wrong in a package's source, by the dependencies in ``pyproject``."""
    name = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["name"]
    # Of a namespace it would take every part for the package's own: it is shown ours only.
    root = "src" if SOURCES[name] == "src" else MODULES[name]
    done = subprocess.run(
        [sys.executable, "-m", "deptry", "--no-ansi", "--config", str(pyproject), root],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return "" if done.returncode == 0 else done.stderr


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_imported_is_declared_and_what_is_declared_is_imported(folder: Path) -> None:
    assert deptry(folder, folder / "pyproject.toml") == ""


@pytest.mark.parametrize(
    ("folder", "dropped"),
    [(0, "rapidfuzz"), (0, "lancedb"), (1, "langgraph"), (1, "pydantic"), (2, "llama-index-core")],
)
def test_a_dependency_that_is_not_declared_is_noticed(
    folder: int, dropped: str, tmp_path: Path
) -> None:
    pyproject = (FOLDERS[folder] / "pyproject.toml").read_text()
    without = re.sub(rf'^    "{dropped}(?:-checkpoint)?>=.*\n', "", pyproject, flags=re.MULTILINE)
    assert without != pyproject
    (tmp_path / "pyproject.toml").write_text(without)
    module = dropped.replace("-core", "").replace("-", "_")
    assert re.search(
        rf"DEP00[134] '{module}'", deptry(FOLDERS[folder], tmp_path / "pyproject.toml")
    )


def test_a_dependency_that_nothing_imports_is_noticed(tmp_path: Path) -> None:
    pyproject = (ROOT / "pyproject.toml").read_text()
    more = pyproject.replace("dependencies = [", 'dependencies = [\n    "packaging",', 1)
    (tmp_path / "pyproject.toml").write_text(more)
    assert "DEP002 'packaging'" in deptry(ROOT, tmp_path / "pyproject.toml")


@pytest.mark.parametrize("kind", [DeprecationWarning, PendingDeprecationWarning])
def test_a_deprecated_call_of_ours_fails_the_test_that_makes_it(kind: type[Warning]) -> None:
    with pytest.raises(kind):
        warnings.warn_explicit("old", kind, "x.py", 1, module="belief_memory.store.lance.table")
