"""Each recipe, copied out of the repository, runs as it is and shows what it says it shows."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import httpx
import pytest

from belief_memory import BeliefMemory

COOKBOOK = Path(__file__).resolve().parents[2] / "cookbook"
RECIPES = sorted(path.parent.name for path in COOKBOOK.glob("*/main.py"))
Run = Callable[[str], str]


def copy(recipe: str, folder: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(COOKBOOK / recipe, folder / recipe, ignore=ignored) / "main.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a copy of a recipe, once, and gives what it printed."""

    @cache
    def run(recipe: str) -> str:
        folder = tmp_path_factory.mktemp(recipe)
        done = subprocess.run(
            [sys.executable, str(copy(recipe, folder))],
            cwd=folder,
            env=plain_environment(),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def plain_environment() -> dict[str, str]:
    """Without keys, colours or the repository on the path; the network leads nowhere."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "FORCE_COLOR") and not name.endswith("_API_KEY")
    }
    nowhere = "http://127.0.0.1:9"
    return {
        **kept,
        "NO_COLOR": "1",
        "TERM": "dumb",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1,localhost",
    }


def unwrapped(printed: str) -> str:
    return " ".join(printed.split())


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_is_indexed_explained_and_takes_a_real_model(recipe: str) -> None:
    assert f"({recipe}/README.md)" in (COOKBOOK / "README.md").read_text()
    assert "--model openai:" in (COOKBOOK / recipe / "README.md").read_text()
    assert 'add_argument("--model"' in (COOKBOOK / recipe / "main.py").read_text()


def test_end_of_life_answers_what_it_was_given_and_nothing_else(run: Run) -> None:
    said = unwrapped(run("00_end_of_life"))
    turns = re.findall(r" \d+\. (.+?) injected: (.+?) answer: (.+?\.)(?= \d+\. | [A-Z])", said)
    assert len(turns) >= 5
    nothing = [turn for turn in turns if turn[1].startswith("nothing")]
    assert 0 < len(nothing) < len(turns)
    assert {answer for _, _, answer in nothing} == {"I know nothing about that."}
    for _, injected, answer in turns:
        for end in re.findall(r"until ([\d-]+)", answer):
            assert end in injected


def test_drift_is_none_by_name_and_measured_beside_it(run: Run) -> None:
    printed = run("01_drift_isolation")
    found = re.findall(
        r"^(.+?)\s+drift (\d\.\d\d)   missed (\d+) of 14   (\d+) tokens", printed, re.M
    )
    scores = {name.strip(): (drift, missed) for name, drift, missed, _ in found}
    assert scores["belief memory"] == ("0.00", "1")
    vector = next(name for name in scores if name.startswith("vector memory"))
    assert vector in ("vector memory (hashed words), k=3", "vector memory (all-MiniLM-L6-v2), k=3")
    assert {f"the same, k={k}" for k in (1, 2, 5, 10)} < scores.keys()
    # More neighbours miss less and drift more, whatever the embedder.
    drifts = [float(scores[name][0]) for name in ("the same, k=1", vector, "the same, k=10")]
    misses = [int(scores[name][1]) for name in ("the same, k=1", vector, "the same, k=10")]
    assert drifts == sorted(drifts)
    assert misses == sorted(misses, reverse=True)
    told = (COOKBOOK / "01_drift_isolation" / "README.md").read_text()
    assert "| belief memory | {} | {} |".format(*scores["belief memory"]) in told
    if "hashed" in vector:
        assert "| hashed words, k=3 | {} | {} |".format(*scores[vector]) in told


def test_a_name_nobody_listed_is_missed_until_it_is_noted(run: Run) -> None:
    printed = run("01_drift_isolation")
    ours: dict[int, str] = {}
    for line in printed.splitlines():
        cells = line.split("│")
        if len(cells) > 3 and cells[1].strip().isdigit():
            ours[int(cells[1])] = cells[3]
    assert "nothing" in ours[10]
    assert "missed sourdough_starter/backup" in ours[12]
    assert "sourdough_starter/" in ours[13]
    assert "missed" not in ours[13]


def test_existing_chains_gain_memory_by_one_line(run: Run) -> None:
    said = unwrapped(run("03_existing_chain"))
    before, after = said.split("2. The same chain")
    assert "the boiler? answer: I know nothing" in before
    assert "the boiler? answer: The boiler loses pressure" in after
    assert "a joke? answer: I know nothing" in after
    assert said.count("work for? answer: Works at Halvorsen Shipping.") == 1
    assert "milo: Which company do I work for? answer: I know nothing" in said
    assert "milo: When does the laundry room open? answer: Milo's key" in said
    named, unnamed = re.findall(r"(\d+) words in the prompt for", said)
    assert int(unnamed) < int(named)


def test_projects_with_the_same_words_stay_apart(run: Run) -> None:
    said = unwrapped(run("04_coding_assistant"))
    answers = re.findall(r"\) (.+?) answer: (.+?)(?= storefront | firmware | no project |$)", said)
    assert len(answers) == 8
    storefront, firmware, outside, poetry, elsewhere, kafka, pasted, both = (
        answer for _, answer in answers
    )
    assert "GraphQL" in storefront
    assert "radio board" not in storefront
    assert "radio board" in firmware
    assert "GraphQL" not in firmware
    assert outside == elsewhere == pasted == "I know nothing about that."
    assert poetry.startswith("Dependencies are managed with uv.")
    assert "NATS JetStream. Kafka was tried and rejected" in kafka
    assert "GraphQL" in both
    assert "radio board" in both


def test_what_was_believed_and_what_was_true_are_told_apart(run: Run) -> None:
    printed = run("05_as_of")
    yes, no = "supported", "out of support"
    table = {
        cells[0]: cells[1:]
        for line in printed.splitlines()
        if line.startswith("│")
        and len(cells := [cell.strip() for cell in line.strip("│").split("│")]) == 5
    }
    assert table == {
        "Go 1.12": [yes, no, yes, no],
        "Kotlin 1.5": [yes, no, yes, no],
        "Kubernetes 1.20": [no, no, no, no],
        "Node.js 16": [yes, yes, yes, no],
        "Vue 2": [yes, yes, no, yes],
    }
    assert "on 2022-12-28: out of support 2021-11-26 to now" in printed
    said = unwrapped(printed)
    assert "answered then : Kotlin 1.5 is supported; Node.js 16 is supported." in said
    assert "knowing it all : Kotlin 1.5 is out of support; Node.js 16 is supported." in said


def test_what_is_learned_waits_for_a_person(run: Run) -> None:
    said = unwrapped(run("06_curated_learning"))
    monday, reviewed, corrected, tuesday, decided, digest = re.split(r" [2-6]\. ", said)
    assert "Works at Tidewater Ecology." in monday
    assert "Ghent" not in monday
    assert "Oslo" not in monday.replace("“I live in Oslo.”", "")
    assert "anything was stored: 1" in monday
    assert monday.endswith("Where do I work? (nothing is recalled)")
    assert "rejected: Brannoch is our mascot." in reviewed
    assert reviewed.count("approved, inserted") == 3
    assert "Where do I work? Works at Tidewater Ecology." in reviewed
    assert "Who is my supervisor? The user's supervisor: Ngozi Adeyemo." in corrected
    assert "approved, conflict: Works at Marram Surveys." in tuesday
    assert "Conflicts to decide" in tuesday
    assert decided.index("Works at Tidewater Ecology. a person decides") > 0
    assert decided.endswith("Where do I work? Works at Marram Surveys.")
    assert "Works at Tidewater Ecology. → Works at Marram Surveys." in digest
    assert "Adeyemi" not in digest
    assert "mascot" not in digest


def test_users_of_a_service_never_see_each_other(run: Run) -> None:
    printed = run("07_service")
    assert "foreign beliefs recalled: 0, own ones missed: 0" in printed
    for name in ("ama", "bela", "chidi", "dipa", "eero", "farah"):
        assert f"{name} asks whose piano this is: The piano of {name}." in printed
    assert "acknowledged: 10, in the history: 10, current: 1" in printed
    assert "no token: 401" in printed
    assert "a made-up token: 401" in printed
    assert "a user_id in the body: 422" in printed
    assert "bela erases a desk, which only ama has: 404" in printed
    assert "left of ama: 0, others served: 5" in printed
    assert "verified: True" in printed
    assert "the memory closed" in printed


def test_a_service_that_is_told_to_stop_keeps_what_it_acknowledged(
    tmp_path: Path,
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, str(copy("07_service", tmp_path)), "--serve", "--port", str(port)],
            cwd=tmp_path,
            env=plain_environment(),
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": "Bearer token of ama"},
            trust_env=False,
            timeout=60,
        ) as ama:
            wait_until_it_listens(ama, server)
            ama.post("/beliefs", json={"name": "desk", "content": "Oak."}).raise_for_status()
            described = ama.get("/openapi.json").json()
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    finally:
        server.kill()
        server.wait()
    assert {"/beliefs", "/recall", "/answer", "/me"} <= described["paths"].keys()
    assert "Application shutdown complete" in (tmp_path / "log").read_text()
    with BeliefMemory.open(tmp_path / "beliefs", read_only=True) as memory:
        assert [belief.content for belief in memory.for_user("ama").beliefs()] == ["Oak."]


def wait_until_it_listens(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the service ended before it listened"
        try:
            client.get("/openapi.json")
        except httpx.ConnectError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the service never listened")


def test_machines_on_one_bucket_lose_nothing(run: Run) -> None:
    printed = run("08_shared_bucket")
    for machine in ("phone", "laptop", "car"):
        assert re.search(rf"│ {machine} +│ [-+]\d+ s +│ 6 ", printed)
    assert "notes kept: 9 of 9" in printed
    assert "stops kept: 9 of 9, gaps between: 0" in printed
    assert "current stops: 1, conflicts: 0" in printed
    for speaker in ("laptop", "car"):
        for reader in ("phone", "laptop", "car"):
            told = f"the {speaker} has spoken; on the {reader}: The mill, says the {speaker}."
            assert told in printed
    assert "answer: The mill, says the car." in printed
