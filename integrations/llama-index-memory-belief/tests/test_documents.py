"""What the README and the recipe say can be run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent.parent
README = HERE / "README.md"
RECIPE = HERE.parent.parent / "cookbook" / "02_llamaindex" / "main.py"


def test_every_python_block_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 6
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"README.md, block {number}", "exec"), names)


def test_the_recipe_runs_from_any_folder_without_drift(tmp_path: Path) -> None:
    if not RECIPE.exists():
        pytest.skip("the recipe is not part of this distribution")
    done = subprocess.run(
        [sys.executable, str(RECIPE)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "118"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("drift 0.00 over 11 turns") == 2
    assert "missed" not in done.stdout
    assert done.stdout.count("0 of them with injected") == 2
