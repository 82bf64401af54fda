"""docs/command-line.md: its shell blocks run, in order, and no command is missing."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from belief_memory.cli.app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
BLOCK = re.compile(r"^```sh([^\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def lines(*, run: bool) -> list[list[str]]:
    """The words of each command line of the page; those that are run, or those that are not."""
    blocks = [
        body
        for options, body in BLOCK.findall(PAGE.read_text())
        if ("no-run" not in options) == run
    ]
    joined = "".join(blocks).replace("\\\n", " ")
    return [words for line in joined.splitlines() if (words := shlex.split(line, comments=True))]


def test_the_shell_blocks_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for program, *words in lines(run=True):
        if program == "export":
            for setting in words:
                monkeypatch.setenv(*setting.split("=", 1))
            continue
        assert program == "belief-memory"
        target = None
        if ">" in words:
            *words, _, target = words
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (words, done.output, done.exception)
        if "--json" in words:
            json.loads(done.stdout)
        if target is not None:
            Path(target).write_text(done.stdout)
        ran += 1
    assert ran > 15
    assert "Oslo" in Path("alice.html").read_text()
    assert Path("alice.jsonl").stat().st_size > 0


def test_every_command_has_an_example_and_every_example_its_options() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    shown = [words[1:] for words in (*lines(run=True), *lines(run=False)) if words[0] != "export"]
    assert {words[0] for words in shown} == set(commands)
    for name, *words in shown:
        command = commands[name]
        if name == "bench":
            command, words = command.commands[words[0]], words[1:]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, name
