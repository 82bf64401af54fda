"""The ways in are paid for by those who use them."""

from __future__ import annotations

import subprocess
import sys

ROOMS = ("cli", "mcp", "board", "evals")
SDK = {"mcp", "mcp_types", "uvicorn", "starlette", "anyio"}


def loaded_by(statement: str) -> set[str]:
    script = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_package_and_its_verbs_loads_no_way_in() -> None:
    loaded = loaded_by("import belief_memory; belief_memory.BeliefMemory; belief_memory.Draft")
    assert "belief_memory.sync" in loaded
    assert not {f"belief_memory.{room}" for room in ROOMS} & loaded
    assert not (SDK | {"http.server"}) & loaded


def test_the_command_line_loads_the_other_ways_in_when_they_are_called() -> None:
    loaded = loaded_by("import belief_memory.cli.app")
    assert not {"belief_memory.mcp", "belief_memory.board"} & loaded
    assert not (SDK | {"http.server"}) & loaded


def test_the_board_needs_nothing_but_the_package_and_the_standard_library() -> None:
    base = loaded_by("import belief_memory; belief_memory.BeliefMemory; belief_memory.Belief")
    more = loaded_by("import belief_memory.board, belief_memory.board.serving") - base
    tops = {name.partition(".")[0] for name in more}
    assert "belief_memory" in tops
    assert tops - {"belief_memory"} <= set(sys.stdlib_module_names)
