"""Uses the packages that are installed as a newcomer would; ends with an error if one fails.

``scripts/versions.py`` runs this with the Python of each environment that it makes:
``python -I smoke.py belief-memory langchain-belief-memory``. It needs nothing but the
packages: their READMEs are read from the wheels' own metadata. Only the models are not real.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
MODULES = {
    "belief-memory": "belief_memory",
    "langchain-belief-memory": "langchain_belief_memory",
    "llama-index-memory-belief": "llama_index.memory.belief",
}
OLD_WAYS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


def refuse_old_ways() -> None:
    """Warnings that our modules cause are errors from here on.

    ``python -W error::DeprecationWarning:belief_memory`` would not do: it means that one
    module and none below it.
    """
    for module in MODULES.values():
        pattern = re.escape(module) + r"(\.|$)"
        for kind in OLD_WAYS:
            warnings.filterwarnings("error", category=kind, module=pattern)
            try:
                warnings.warn_explicit("control", kind, "control.py", 1, module=f"{module}.a.b")
            except kind:
                continue
            raise AssertionError(f"a {kind.__name__} of {module} goes unnoticed")


def imported(name: str) -> None:
    """The package comes from this environment, and is the version it says."""
    module = import_module(MODULES[name])
    assert module.__file__ is not None
    assert Path(module.__file__).is_relative_to(sys.prefix), module.__file__
    if name == "belief-memory" and find_spec("mcp") is not None:
        import_module("belief_memory.mcp.server")
    for public in module.__all__:
        if public == "BeliefChainMemory" and find_spec("langchain_classic") is None:
            continue
        assert getattr(module, public) is not None, public
    assert metadata.version(name)


def readme(name: str, names: dict[str, Any]) -> int:
    """Runs the blocks of a package's README in one session; gives how many ran."""
    ran = 0
    for options, code in BLOCK.findall(str(metadata.metadata(name).json["description"])):
        if "no-run" in options:
            continue
        if "langchain_classic" in code and find_spec("langchain_classic") is None:
            continue
        exec(compile(code, f"README of {name}, block {ran}", "exec"), names)
        ran += 1
    assert ran, f"the README of {name} has no block that runs"
    return ran


def core() -> None:
    from belief_memory import BeliefMemory

    for _ in range(2):  # what is written is there when the folder is opened again
        with BeliefMemory.open("./smoke") as memory:
            user = memory.for_user("alice")
            user.remember("redis_cache", "Redis is the cache.", aliases=["Redis"])
            found = [b.content for b in user.recall("Is Redis fast?").relevant]
            assert found == ["Redis is the cache."], found
            assert not user.recall("What should I cook tonight?")
    readme("belief-memory", {"__name__": "readme"})
    assert "remember" in command("--help", about=())
    command("remember", "quokka_cache", "Quokka is the cache.", "--alias", "Quokka")
    said = json.loads(command("recall", "is Quokka up?", "--json"))
    assert "Quokka is the cache." in json.dumps(said), said


def command(*words: str, about: tuple[str, ...] = ("--user", "alice", "--uri", "./told")) -> str:
    """What ``belief-memory`` prints, from a process of its own as a shell would start it."""
    program = Path(sysconfig.get_path("scripts"), "belief-memory")
    done = subprocess.run(
        [str(program), *words, *about],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def langchain() -> None:
    import langchain.chat_models
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import BaseMessage

    seen: list[str] = []

    class Model(GenericFakeChatModel):
        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            seen.append("\n".join(str(message.content) for message in messages))
            return super()._generate(messages, *args, **kwargs)

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            return self

    model = Model(messages=iter(["ok"] * 100))
    langchain.chat_models.init_chat_model = lambda *_, **__: model  # type: ignore[assignment]
    names: dict[str, Any] = {"__name__": "readme"}
    readme("langchain-belief-memory", names)
    assert "Lisbon" in seen[0], "the agent's model did not get the belief"
    names["memory"].close()


def llama() -> None:
    readme("llama-index-memory-belief", {"__name__": "readme"})


def main() -> None:
    refuse_old_ways()
    for name in sys.argv[1:]:
        imported(name)
    absent = [name for name in MODULES if name not in sys.argv[1:]]
    for name in absent:
        assert not any(d.metadata["Name"] == name for d in metadata.distributions()), name
    uses = {
        "belief-memory": core,
        "langchain-belief-memory": langchain,
        "llama-index-memory-belief": llama,
    }
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            uses[name]()
            os.chdir(sys.prefix)


if __name__ == "__main__":
    main()
