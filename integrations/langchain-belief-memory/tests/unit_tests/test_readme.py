"""Every Python block of the README runs, in order, in one session."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import langchain.chat_models

README = Path(__file__).parents[2] / "README.md"


def test_every_block_of_the_readme_runs(tmp_path, monkeypatch, model, read, capsys) -> None:
    seeing = model()
    monkeypatch.chdir(tmp_path)
    # The one thing that needs a network: the model itself.
    monkeypatch.setattr(langchain.chat_models, "init_chat_model", lambda name: seeing)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7
    session: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*ConversationChain.*")
        for number, block in enumerate(blocks):
            exec(compile(block, f"README.md block {number}", "exec"), session)
    asked = ["\n".join(read(message) for message in messages) for messages in seeing.seen]
    assert len(asked) == 5
    assert all("Lisbon" in text for text in asked[:3])
    assert "I moved to Porto." in asked[4], "the extractor was asked"
    assert "Lisbon" in capsys.readouterr().out
    past = session["store"].history(session["namespace"], "food")
    assert [version.item.value for version in past] == [{"likes": "pizza"}, {"likes": "sushi"}]
    session["memory"].close()


def test_the_agent_takes_ten_lines() -> None:
    first = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert first is not None
    statements = [line for line in first[1].splitlines() if line and line[0] not in " )"]
    assert len(statements) <= 10
