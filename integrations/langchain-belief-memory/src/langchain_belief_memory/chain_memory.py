"""Memory for the chains of ``langchain_classic``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal, Self

from belief_memory import BeliefMemoryError, Budget, Context
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    get_buffer_string,
)
from pydantic import ConfigDict, Field, PrivateAttr, SkipValidation, model_validator

from langchain_belief_memory.identity import Memory, Who
from langchain_belief_memory.lessons import learns
from langchain_belief_memory.messages import said
from langchain_belief_memory.routes import Route, checked_routes

try:
    from langchain_classic.base_memory import BaseMemory
except ImportError as error:  # pragma: no cover - depends on what is installed
    raise ImportError(
        "BeliefChainMemory needs langchain-classic: pip install 'langchain-belief-memory[classic]'"
    ) from error

_log = logging.getLogger(__name__)


class BeliefChainMemory(BaseMemory):
    """Gives a legacy chain what is believed about its user, and the conversation so far.

    The conversation itself is kept by an inner memory: ``inner``, any legacy chat memory, or
    a plain buffer. Both go into one variable, beliefs first, unless ``beliefs_key`` names
    one of their own.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: Annotated[Memory, SkipValidation]
    """An open ``BeliefMemory`` or ``AsyncBeliefMemory``; it is not closed by this."""
    user_id: str
    """Whose memory. A legacy memory holds one conversation, so it is one user's."""
    scopes: tuple[str, ...] | None = None
    """The active scopes; None: the memory's default."""
    agent_id: str | None = None
    """Sees this agent's own beliefs beside the shared ones."""
    inner: BaseMemory | None = None
    """What remembers the conversation; None: a buffer of all of it."""
    memory_key: str = "history"
    """The prompt variable that gets the memory."""
    beliefs_key: str | None = None
    """A variable of their own for the beliefs; ``memory_key`` is then the conversation."""
    input_key: str | None = None
    """Which input is the user's text; None: the only one there is."""
    output_key: str | None = None
    """Which output is the answer; None: the only one there is."""
    return_messages: bool = False
    """Messages (the beliefs as a system message) instead of text."""
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    budget: Budget | None = None
    """How much to recall, in beliefs and tokens."""
    routes: tuple[Route, ...] | None = None
    """Which routes to give; None: all but "related", which needs a memory with an embedder, and
    "evidence", which needs one with episodes."""
    format: Literal["xml", "markdown"] = "xml"
    buffer: list[BaseMessage] = Field(default_factory=list)
    """The conversation, where no inner memory keeps it."""

    _reserved: frozenset[str] = PrivateAttr(default=frozenset({"stop"}))

    @model_validator(mode="after")
    def _checked(self) -> Self:
        checked_routes(self.memory, self.routes)
        return self

    @property
    def memory_variables(self) -> list[str]:
        """The prompt variables this fills."""
        if self.beliefs_key is None:
            return [self.memory_key]
        return [self.memory_key, self.beliefs_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Beliefs for the input, and the conversation; nothing is written."""
        history = self._buffered() if self.inner is None else self._inner_loaded(inputs)
        user = self._who().sync(self.memory)
        return self._joined(user.recall(self._query(inputs), **self._options()), history)

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Beliefs for the input, and the conversation; nothing is written."""
        if self.inner is None:
            history = self._buffered()
        else:
            history = _only(await self.inner.aload_memory_variables(inputs))
        user = self._who().asynchronous(self.memory)
        context = await user.recall(self._query(inputs), **self._options())
        return self._joined(context, history)

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Keep the turn, for the next one to see; learn from it, if the memory learns."""
        if self.inner is None:
            self._remember_turn(inputs, outputs)
        else:
            self.inner.save_context(inputs, outputs)
        if learns(self.memory):
            user = self._who().sync(self.memory)
            with self._unharmed():
                user.observe(self._turn(inputs, outputs))

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Keep the turn, for the next one to see; learn from it, if the memory learns."""
        if self.inner is None:
            self._remember_turn(inputs, outputs)
        else:
            await self.inner.asave_context(inputs, outputs)
        if learns(self.memory):
            user = self._who().asynchronous(self.memory)
            with self._unharmed():
                await user.observe(self._turn(inputs, outputs))

    def clear(self) -> None:
        """Forget the conversation; beliefs stay (see ``UserMemory.forget``)."""
        self.buffer.clear()
        if self.inner is not None:
            self.inner.clear()

    async def aclear(self) -> None:
        """Forget the conversation; beliefs stay (see ``UserMemory.forget``)."""
        self.buffer.clear()
        if self.inner is not None:
            await self.inner.aclear()

    def _who(self) -> Who:
        return Who(self.user_id, self.scopes, self.agent_id)

    def _options(self) -> dict[str, Any]:
        return {"budget": self.budget, "routes": self.routes}

    def _query(self, inputs: dict[str, Any]) -> str:
        return said(inputs.get(self._input_key(inputs)))

    def _input_key(self, inputs: dict[str, Any]) -> str:
        if self.input_key is not None:
            return self.input_key
        keys = [key for key in inputs if key not in (*self.memory_variables, *self._reserved)]
        return _single(keys, "input", inputs)

    def _remember_turn(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        self.buffer += self._turn(inputs, outputs)

    def _turn(self, inputs: dict[str, Any], outputs: dict[str, str]) -> list[BaseMessage]:
        key = self.output_key or _single(list(outputs), "output", outputs)
        question, answer = inputs[self._input_key(inputs)], outputs[key]
        return [
            question if isinstance(question, BaseMessage) else HumanMessage(content=question),
            answer if isinstance(answer, BaseMessage) else AIMessage(content=answer),
        ]

    @contextmanager
    def _unharmed(self) -> Iterator[None]:
        """The chain has answered: that learning failed does not take the answer back."""
        try:
            yield
        except BeliefMemoryError as error:
            _log.warning("nothing was learned from a turn", exc_info=error)

    def _buffered(self) -> str | list[BaseMessage]:
        if self.return_messages:
            return list(self.buffer)
        return get_buffer_string(
            self.buffer, human_prefix=self.human_prefix, ai_prefix=self.ai_prefix
        )

    def _inner_loaded(self, inputs: dict[str, Any]) -> Any:
        assert self.inner is not None
        return _only(self.inner.load_memory_variables(inputs))

    def _joined(self, context: Context, history: Any) -> dict[str, Any]:
        beliefs = context.render(self.format)
        known: Any
        turns: Any
        both: Any
        if self.return_messages:
            known = [SystemMessage(content=beliefs)] if beliefs else []
            turns = self._as_messages(history)
            both = [*known, *turns]
        else:
            known, turns = beliefs, self._as_text(history)
            both = "\n\n".join(part for part in (known, turns) if part)
        if self.beliefs_key is None:
            return {self.memory_key: both}
        return {self.memory_key: turns, self.beliefs_key: known}

    def _as_text(self, history: Any) -> str:
        if not isinstance(history, list):
            return str(history)
        return get_buffer_string(history, human_prefix=self.human_prefix, ai_prefix=self.ai_prefix)

    def _as_messages(self, history: Any) -> list[BaseMessage]:
        if isinstance(history, list):
            return history
        raise ValueError("return_messages is set here but not on the inner memory; set it there")


def _only(loaded: dict[str, Any]) -> Any:
    """What an inner memory loaded, whatever it calls it."""
    if len(loaded) != 1:
        raise ValueError(f"the inner memory gives {sorted(loaded)}; expected one variable")
    return next(iter(loaded.values()))


def _single(keys: list[str], what: str, given: dict[str, Any]) -> str:
    if len(keys) != 1:
        raise ValueError(
            f"one {what} was expected, got {sorted(given)}; set {what}_key on BeliefChainMemory"
        )
    return keys[0]
