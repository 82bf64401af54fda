"""Every command does its verb, for people and with --json."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

import belief_memory
from belief_memory import BeliefMemory
from belief_memory.cli.app import app
from belief_memory.learning import DeterministicExtractor


class Shell:
    def __init__(self, folder: Path) -> None:
        self.env = {"BELIEF_MEMORY_URI": str(folder), "BELIEF_MEMORY_USER": "alice"}

    def __call__(self, *words: str, code: int = 0, input: str | None = None) -> Result:
        done = CliRunner().invoke(app, list(words), env=self.env, input=input)
        assert done.exit_code == code, (done.output, done.exception)
        return done

    def json(self, *words: str):
        return json.loads(self(*words, "--json").stdout)


@pytest.fixture
def sh(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "m")


def test_remember_then_recall(sh: Shell) -> None:
    assert (
        "inserted"
        in sh("remember", "redis_cache", "Redis is the cache.", "--alias", "Redis").output
    )
    assert "Redis is the cache." in sh("recall", "what is Redis for?").output
    assert "R3" in sh("recall", "what is Redis for?", "--explain").output
    assert sh("recall", "nice weather").output.strip() == "(nothing recalled)"
    found = sh.json("recall", "what is Redis for?")
    assert [belief["content"] for belief in found["routes"]["relevant"]] == ["Redis is the cache."]


def test_history_and_changes(sh: Shell) -> None:
    sh("remember", "city", "Oslo", "--valid-from", "2026-01-01")
    sh("remember", "city", "Bergen", "--valid-from", "2026-02-01")
    assert [v["content"] for v in sh.json("beliefs")] == ["Bergen"]
    assert [v["content"] for v in sh.json("beliefs", "--valid-at", "2026-01-15")] == ["Oslo"]
    assert len(sh.json("history", "city")) == 3
    assert "Oslo" in sh("history", "city").output
    sh("remember", "editor", "Vim", "--scope", "domain:code")
    assert sh.json("history", "editor") == []
    assert len(sh.json("history", "editor", "--scope", "domain:code")) == 1
    sh("forget", "editor")
    changes = sh.json("changes", "--since", "2020-01-01")
    assert len(changes["changes"]) == 4
    assert sh.json("changes", "--since", changes["cursor"])["changes"] == []


def test_what_a_belief_says_cannot_steer_the_terminal(sh: Shell) -> None:
    steering = "red \x1b[31m\x9b2J\x07 alert"
    for words in (
        ("remember", "note", steering, "--pin"),
        ("beliefs",),
        ("history", "note"),
        ("changes", "--since", "2020-01-01"),
        ("digest",),
        ("recall", "note"),
    ):
        shown = sh(*words).stdout
        assert "alert" in shown
        assert not any(char in shown for char in "\x1b\x9b\x07")
    for words in (("beliefs",), ("export",), ("board",)):
        assert not any(char in sh(*words, "--json").stdout for char in "\x1b\x9b\x07")
    assert sh.json("beliefs")[0]["content"] == steering


def test_export_then_import_is_lossless(sh: Shell, tmp_path: Path) -> None:
    sh("remember", "city", "Oslo")
    sh("remember", "city", "Bergen")
    exported = sh("export").stdout
    other = Shell(tmp_path / "other")
    (tmp_path / "records.jsonl").write_text(exported)
    assert other.json("import", str(tmp_path / "records.jsonl")) == {"loaded": 3}
    assert other("export").stdout == exported
    assert other("import", "-", input=exported).output.strip() == "loaded 0"


def test_forget_says_what_it_removed_without_the_text(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    done = sh("forget", "city")
    assert "erased 1 beliefs in 1 versions" in done.output
    assert "Oslo" not in done.output
    sh("remember", "tea", "Likes tea.")
    assert sh.json("forget", "--everything")["beliefs"] == 1
    assert sh.json("beliefs") == []


def test_forget_counts_the_turns_that_went_too(sh: Shell) -> None:
    uri = sh.env["BELIEF_MEMORY_URI"]
    with BeliefMemory.open(uri, extractor=DeterministicExtractor(), episodes=True) as memory:
        memory.for_user("alice").observe(["I live in Oslo.", "The garden is wet."])
    done = sh("forget", "user", "--attribute", "residence").output
    assert "erased 1 beliefs in 1 versions, and 1 turns" in done


def test_what_is_held_is_put_right(sh: Shell) -> None:
    sh("remember", "city", "Oslo", "--valid-from", "2026-01-01")
    assert "corrected" in sh("correct", "city", "Bergen").output
    assert [belief["content"] for belief in sh.json("beliefs")] == ["Bergen"]
    assert sh.json("retract", "city")["action"] == "retracted"
    assert sh.json("beliefs") == []
    assert len(sh.json("history", "city")) > 1
    assert "tea" in sh("correct", "tea", "Likes tea.", code=2).stderr
    assert "tea" in sh("retract", "tea", "--never-true", code=2).stderr


def test_search_shows_ids_and_finds_words_that_recall_does_not(sh: Shell) -> None:
    sh("remember", "city", "Moved to Bergen.")
    assert sh.json("recall", "bergen")["routes"]["relevant"] == []
    [found] = sh.json("search", "berg")
    assert found["id"] in sh("search", "berg").output
    assert sh.json("search", "oslo") == []


def test_what_waits_is_approved_or_rejected_by_the_ids_shown(sh: Shell) -> None:
    uri = sh.env["BELIEF_MEMORY_URI"]
    with BeliefMemory.open(uri, extractor=DeterministicExtractor(), mode="curated") as memory:
        alice = memory.for_user("alice", scopes=["domain:home"])
        alice.observe("I live in Oslo. I work at Acme.")
        waiting = {belief.attribute: belief.id for belief in alice.pending()}
    residence, employer = waiting["residence"], waiting["employer"]
    assert residence in sh("pending").output
    assert sh("approve", residence).output.startswith("inserted")
    assert sh.json("reject", employer)[0]["belief"]["id"] == employer
    assert sh.json("pending") == []
    assert [one["attribute"] for one in sh.json("beliefs", "--scope", "domain:home")] == [
        "residence"
    ]
    assert residence in sh("approve", residence, code=2).stderr


def test_a_conflict_is_decided_by_the_id_shown(sh: Shell) -> None:
    with BeliefMemory.open(sh.env["BELIEF_MEMORY_URI"]) as memory:
        alice = memory.for_user("alice")
        alice.remember("city", "Oslo", valid_from="2026-01-01")
        alice.remember("city", "Rome", valid_from="2026-01-01", provenance={"source": "crm"})
    [conflict] = sh.json("conflicts")
    id = conflict["alternative"]["id"]
    assert id in sh("conflicts").output
    assert "supersede" in sh("resolve-conflict", id, "maybe", code=2).stderr
    assert sh.json("resolve-conflict", id, "supersede")["belief"]["content"] == "Rome"
    assert sh.json("conflicts") == []
    assert [belief["content"] for belief in sh.json("beliefs")] == ["Rome"]


def test_the_rest(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    assert sh.json("stats")["users"] == 1
    assert "users: 1" in sh("stats").output
    assert sh.json("maintain") == {"maintained": 1}
    assert sh.json("conflicts") == []
    assert sh.json("pending") == []
    assert "(none)" in sh("conflicts").output
    assert len(sh.json("export")) == 1


def test_the_digest_of_a_day_and_of_a_week(sh: Shell) -> None:
    sh("remember", "city", "Oslo")
    today = datetime.now(UTC).date()
    assert "Oslo" in sh("digest").output
    assert "Oslo" not in sh("digest", "2020-01-01").output
    week = sh.json("digest", str(today - timedelta(days=3)), "--days", "7")
    assert "Oslo" in week["digest"]
    assert "belief-memory:" in sh("digest", "soon", code=2).stderr


def test_the_board_is_a_file_for_its_owner_or_data(sh: Shell, tmp_path: Path) -> None:
    sh("remember", "city", "Oslo <b>", "--scope", "domain:code")
    page = tmp_path / "page.html"
    assert sh("board", "--out", str(page)).output.strip() == f"wrote {page}"
    assert "Oslo &lt;b&gt;" in page.read_text(encoding="utf-8")
    assert page.stat().st_mode & 0o077 == 0
    assert sh("board", "--out", "-").stdout == page.read_text(encoding="utf-8")
    data = sh.json("board")
    assert [belief["content"] for belief in data["current"]] == ["Oslo <b>"]
    assert sh.json("board", "--as-of", "2020-01-01")["current"] == []
    assert sh("board", "--out", str(tmp_path / "no" / "page.html"), code=2).stderr
    assert "data.json" in sh("board", "--serve", "--json", code=2).stderr


def test_the_board_is_served_until_interrupted(sh: Shell, tmp_path: Path) -> None:
    sh("remember", "city", "Oslo")
    command = Path(sys.executable).with_name("belief-memory")
    process = subprocess.Popen(
        [command, "board", "--serve", "--port", "0"],
        env={**os.environ, **sh.env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url) as response:
            assert "Oslo" in response.read().decode()
        port = url.split(":")[2].strip("/")
        assert "in use" in sh("board", "--serve", "--port", port, code=2).stderr
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == ""
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


def test_import_takes_lines_or_an_array_and_says_where_it_stumbled(
    sh: Shell, tmp_path: Path
) -> None:
    sh("remember", "note", "Line\u2028separator, and 東京.")
    array = sh("export", "--json").stdout
    other = Shell(tmp_path / "other")
    assert other("import", "-", input="\ufeff" + array).output.strip() == "loaded 1"
    assert other("import", "-", input=sh("export").stdout).output.strip() == "loaded 0"
    for content, why in (
        (b'{"canonical_name": "x", "content": "y"}\n\n{oops}\n', "line 3: not JSON"),
        (b"[1, 2", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[3]\n", "[0].record"),
        (b'{"canonical_name": "x"}\n', "[0].content"),
    ):
        file = tmp_path / "bad.jsonl"
        file.write_bytes(content)
        done = other("import", str(file), code=2)
        assert why in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    assert len(other.json("export")) == 1


def test_import_of_what_is_nested_too_deeply_is_one_line(sh: Shell, tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    assert "nested too deeply" in sh("import", str(tmp_path / "deep.json"), code=2).stderr


def every_command() -> dict[str, Any]:
    commands = dict(get_command(app).commands)  # type: ignore[attr-defined]
    return commands | commands.pop("bench").commands


def test_every_command_that_prints_takes_json() -> None:
    for name, command in every_command().items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert ("--json" in options) == (name != "mcp"), name


@pytest.mark.parametrize("name", sorted(every_command()))
def test_every_command_and_option_says_what_it_is_for(name: str) -> None:
    command = every_command()[name]
    assert command.help
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert parameter.help, f"{name} {parameter.name}"


def test_errors_are_one_line_and_status_2(sh: Shell, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    for words in (
        ("remember", "x", "y", "--type", "feeling"),
        ("beliefs", "--as-of", "2026-01-01T00:00"),
        ("forget", "nowhere"),
        ("forget",),
        ("recall", "x", "--scope", "bad scope"),
        ("recall", "x", "--max-beliefs", "-1"),
        ("recall", "x", "--as-of", "2026-01-01", "--known-at", "2026-01-01"),
        ("recall", "x", "--uri", "ftp://somewhere"),
        ("stats", "--uri", str(file)),
        ("beliefs", "--user", " "),
        ("history", " "),
        ("changes", "--since", "yesterday"),
        ("changes", "--since", "2026-01-02", "--until", "2026-01-01"),
        ("digest", "--days", "0"),
        ("digest", "--timezone", "Mars/Olympus"),
        ("board", "--days", "0"),
        ("board", "--as-of", "soon"),
        ("forget", "city", "--everything"),
        ("import", str(tmp_path / "missing.jsonl")),
        ("import", str(tmp_path)),
        ("bench", "precision", "--data", str(tmp_path)),
        ("mcp", "--read-only", "--allow-forget"),
    ):
        done = sh(*words, code=2)
        assert done.stderr.startswith("belief-memory: ")
        assert len(done.stderr.strip().splitlines()) == 1, words
        assert done.stdout == ""
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{not json}\n")
    assert "line 1: not JSON" in sh("import", str(bad), code=2).stderr


def test_a_reader_that_has_seen_enough_is_no_error(sh: Shell) -> None:
    sh("remember", "city", "Oslo" * 100_000)
    command = [Path(sys.executable).with_name("belief-memory"), "export"]
    env = {**os.environ, **sh.env}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout.read(10) == b'{"canonica'
        running.stdout.close()
        assert running.stderr.read() == b""


def test_it_says_which_version_it_is(sh: Shell) -> None:
    assert sh("--version").output.strip() == belief_memory.__version__


def test_the_command_is_installed() -> None:
    command = Path(sys.executable).with_name("belief-memory")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "recall" in done.stdout
