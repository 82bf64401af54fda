"""What users may build on changes only on purpose; our own use of LlamaIndex is up to date."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from belief_memory.testing.surface import differences

SNAPSHOT = Path(__file__).with_name("surface.txt")


def test_the_public_surface_is_the_one_that_was_written_down() -> None:
    changed = differences(SNAPSHOT, "llama_index.memory.belief")
    assert not changed, f"\n{changed}\nIf this is meant: make surface"


@pytest.mark.parametrize("kind", [DeprecationWarning, PendingDeprecationWarning])
def test_a_deprecated_call_of_ours_fails_the_test_that_makes_it(kind: type[Warning]) -> None:
    with pytest.raises(kind):
        warnings.warn_explicit("old", kind, "x.py", 1, module="llama_index.memory.belief.base")
