"""A block of beliefs for LlamaIndex's own ``Memory``."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any, Self

from belief_memory import Budget, Context
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer
from pydantic import Field, PrivateAttr

from llama_index.memory.belief.adapter import Adapter, OnInject, OnLearn
from llama_index.memory.belief.fit import fit
from llama_index.memory.belief.live import Memory
from llama_index.memory.belief.messages import Tokenizer, last_user, said
from llama_index.memory.belief.seen import Seen
from llama_index.memory.belief.source import Format, Route, whereabouts

_SESSIONS = 1024
"""Sessions of which it is kept what was learned from."""

_RENDERED = 64
"""Recalled contexts kept for a later truncation, which is given only their text."""


class BeliefMemoryBlock(Adapter, BaseMemoryBlock[str]):
    """What the user's last message names, as a block of LlamaIndex's own ``Memory``.

    ``Memory.from_defaults(memory_blocks=[BeliefMemoryBlock.from_defaults(…)])``. The text is
    escaped, so no belief can end the block. Where the memory has an extractor, the block
    learns from what it has not seen yet whenever messages are asked for, so that short chats
    are learned too, and from the rest when the memory flushes. A session that it meets in the
    middle is learned from its last turn on.
    """

    name: str = "beliefs"
    description: str | None = "What is believed about the user and their world."
    priority: int = 1
    """When the memory has to truncate blocks: lower first, 0 never."""
    tokenizer_fn: Tokenizer = Field(default_factory=get_tokenizer, exclude=True, repr=False)
    """How tokens are counted when the memory wants the block shorter."""

    _sessions: OrderedDict[str, Seen] = PrivateAttr(default_factory=OrderedDict)
    _rendered: OrderedDict[str, Context] = PrivateAttr(default_factory=OrderedDict)

    @classmethod
    def from_defaults(
        cls,
        *,
        memory: Memory | None = None,
        uri: str | os.PathLike[str] | None = None,
        user_id: str | None = None,
        scopes: Sequence[str] | None = None,
        agent_id: str | None = None,
        budget: Budget | None = None,
        routes: Iterable[Route] | None = None,
        format: Format = "xml",
        follow_ups: bool = False,
        on_inject: OnInject | None = None,
        learn: bool = True,
        on_learn: OnLearn | None = None,
        name: str = "beliefs",
        priority: int = 1,
        tokenizer_fn: Tokenizer | None = None,
    ) -> Self:
        """A block of one user's beliefs.

        Args:
            memory: an open ``BeliefMemory`` or ``AsyncBeliefMemory``; not closed by this.
            uri: instead of ``memory``: where one is; opened with default options and shared
                by all adapters of the process that name it.
            user_id: whose beliefs.
            scopes: the active scopes; None: the memory's default.
            agent_id: sees this agent's own beliefs beside the shared ones.
            budget: how much to recall, in beliefs and tokens.
            routes: which routes to recall; None: all but "related" and "evidence"; see the
                field.
            format: "xml" or "markdown".
            follow_ups: carry the names of the user's previous message; see the field.
            on_inject: called with an :class:`Injection` whenever there is something to say.
            learn: learn from what is said, where the memory has an extractor. With one that
                asks a model, open the memory with ``background=True``, so that no answer
                waits for it.
            on_learn: called with the ``Report`` of what was learned.
            name: tells it apart from the memory's other blocks.
            priority: when the memory has to truncate blocks: lower first, 0 never.
            tokenizer_fn: how tokens are counted; give the memory's own, if it has one.

        Raises:
            InvalidQuery: no user, not exactly one of ``memory`` and ``uri``, malformed scopes, an
                unknown route, or one that the memory has not been opened for.
        """
        handle, where = whereabouts(memory, uri, user_id, scopes, agent_id, routes)
        made = cls(
            **where,
            budget=budget,
            format=format,
            follow_ups=follow_ups,
            on_inject=on_inject,
            learn=learn,
            on_learn=on_learn,
            name=name,
            priority=priority,
            tokenizer_fn=tokenizer_fn or get_tokenizer(),
        )
        made._attach(handle, given=memory is not None)
        return made

    async def _aget(
        self,
        messages: list[ChatMessage] | None = None,
        session_id: str | None = None,
        **block_kwargs: Any,
    ) -> str:
        messages = messages or []
        if self._learns():
            await self._aobserve(self._seen(session_id).active(messages), session_id)
        index = last_user(messages)
        if index is None:
            return ""
        query = said(messages[index])
        context = await self.arecall(query, previous=self._previous(messages, index))
        text = self._text(context)
        self._tell(query, context, text, "")
        return text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        if messages and self._learns():
            session_id = messages[0].additional_kwargs.get("session_id")
            await self._aobserve(self._seen(session_id).flushed(messages), session_id)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The block with fewer beliefs, whole ones; None if none is left.

        Args:
            content: what :meth:`aget` returned.
            tokens_to_truncate: at least how many tokens shorter it is to be.
        """
        context = self._rendered.get(content) if content else None
        if context is None:
            return None
        most = len(self.tokenizer_fn(content)) - tokens_to_truncate
        return self._text(fit(context, most, self._tokens)) or None

    def _seen(self, session_id: str | None) -> Seen:
        seen = self._sessions.setdefault(session_id or "", Seen(session_id or "message"))
        self._sessions.move_to_end(session_id or "")
        while len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        return seen

    def _tokens(self, context: Context) -> int:
        return len(self.tokenizer_fn(context.render(self.format)))

    def _text(self, context: Context) -> str:
        text = context.render(self.format)
        if text:
            self._rendered[text] = context
            self._rendered.move_to_end(text)
            while len(self._rendered) > _RENDERED:
                self._rendered.popitem(last=False)
        return text
