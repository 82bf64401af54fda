"""Chat memory that recalls: the conversation, and before every answer the beliefs it names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from belief_memory import Budget, Context, Message
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms.llm import LLM
from llama_index.core.memory.types import BaseMemory
from llama_index.core.storage.chat_store import BaseChatStore, SimpleChatStore
from llama_index.core.utils import get_tokenizer
from pydantic import Field, PrivateAttr, field_serializer, field_validator

from llama_index.memory.belief.adapter import Adapter, OnInject, OnLearn, statement
from llama_index.memory.belief.live import Memory
from llama_index.memory.belief.messages import (
    TokenCounter,
    Tokenizer,
    cleaned,
    copied,
    is_answer,
    last_user,
    said,
)
from llama_index.memory.belief.place import Asked, Placement, placed
from llama_index.memory.belief.source import Format, Route, whereabouts

DEFAULT_TOKEN_LIMIT = 30_000
_CONTEXT_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class _Turn:
    """What was recalled in this turn."""

    key: tuple[object, ...]
    context: Context


class BeliefChatMemory(Adapter, BaseMemory):
    """The chat history, and for every call of the model the beliefs that its turn names.

    For chat engines and agents alike: ``memory=BeliefChatMemory.from_defaults(…)``. The query
    is the user's last message (or ``input``); it is recalled once a turn. What is recalled is
    put into copies of the messages and never into the history. Where the memory has an
    extractor, each answered turn is learned from. Make it with
    :meth:`from_defaults`; one that LlamaIndex rebuilds from its fields, with a reused
    ``Context``, finds the open memory again in the same process and opens ``uri`` in another.
    """

    chat_store: BaseChatStore = Field(default_factory=SimpleChatStore)
    """Where the history is kept."""
    chat_store_key: str = ""
    """Under which key; empty: the user's id, so that users who share a store stay apart."""
    token_limit: int = Field(default=DEFAULT_TOKEN_LIMIT, ge=1)
    """The most tokens that :meth:`get` returns: the current turn, then beliefs, then as much
    of the earlier history as there is room for. The current turn is never cut."""
    placement: Placement = "user"
    """Where beliefs go: "user", before the words of the user's message; "system", in a system
    message; "split", persona and standing facts in a system message, the rest with the user.
    The last two are for callers without a system prompt of their own: where one is seen they
    do as "user" does. ReActAgent drops a system message from a memory: leave it at "user"."""
    tokenizer_fn: Tokenizer = Field(default_factory=get_tokenizer, exclude=True, repr=False)
    """How tokens are counted."""
    messages_put: int = Field(default=0, repr=False)
    """How many messages were put, for their ids in the provenance of what is learned."""

    _turn: _Turn | None = PrivateAttr(default=None)
    _unlearned: list[Message] = PrivateAttr(default_factory=list)
    _counting: TokenCounter | None = PrivateAttr(default=None)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "BeliefChatMemory"

    @classmethod
    def from_defaults(  # type: ignore[override]  # the base takes anything and promises nothing
        cls,
        chat_history: Sequence[ChatMessage] | None = None,
        llm: LLM | None = None,
        *,
        memory: Memory | None = None,
        uri: str | os.PathLike[str] | None = None,
        user_id: str | None = None,
        scopes: Sequence[str] | None = None,
        agent_id: str | None = None,
        budget: Budget | None = None,
        routes: Iterable[Route] | None = None,
        format: Format = "xml",
        placement: Placement = "user",
        follow_ups: bool = False,
        on_inject: OnInject | None = None,
        learn: bool = True,
        on_learn: OnLearn | None = None,
        chat_store: BaseChatStore | None = None,
        chat_store_key: str | None = None,
        token_limit: int | None = None,
        tokenizer_fn: Tokenizer | None = None,
    ) -> Self:
        """A chat memory of one user.

        Args:
            chat_history: the conversation to go on with.
            llm: its context window gives the default ``token_limit`` (three quarters of it).
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
            placement: "user", "system" or "split"; see the field.
            follow_ups: carry the names of the user's previous message; see the field.
            on_inject: called with an :class:`Injection` whenever beliefs are returned.
            learn: learn from each answered turn, where the memory has an extractor.
            on_learn: called with the ``Report`` of what was learned.
            chat_store: where the history is kept; default: in this object.
            chat_store_key: under which key; default: the user's id.
            token_limit: the most tokens :meth:`get` returns; default: 30,000.
            tokenizer_fn: how tokens are counted; default: LlamaIndex's tokenizer.

        Raises:
            InvalidQuery: no user, not exactly one of ``memory`` and ``uri``, malformed scopes, an
                unknown route, or one that the memory has not been opened for.
            pydantic.ValidationError: an option has no such value.
        """
        handle, where = whereabouts(memory, uri, user_id, scopes, agent_id, routes)
        if token_limit is None:
            window = 0 if llm is None else int(llm.metadata.context_window * _CONTEXT_SHARE)
            token_limit = window if window > 0 else DEFAULT_TOKEN_LIMIT
        made = cls(
            **where,
            budget=budget,
            format=format,
            placement=placement,
            follow_ups=follow_ups,
            on_inject=on_inject,
            learn=learn,
            on_learn=on_learn,
            chat_store=chat_store if chat_store is not None else SimpleChatStore(),
            chat_store_key=chat_store_key or "",
            token_limit=token_limit,
            tokenizer_fn=tokenizer_fn or get_tokenizer(),
        )
        made._attach(
            handle,
            given=memory is not None,
            on_inject=on_inject,
            on_learn=on_learn,
            tokenizer_fn=tokenizer_fn,
            chat_store=chat_store,
        )
        if chat_history is not None:
            made.set(list(chat_history))
        return made

    def model_post_init(self, context: Any, /) -> None:
        """Find again, in the same process, what could not be serialised."""
        super().model_post_init(context)
        self.chat_store_key = self.chat_store_key or self.user_id
        live = self._known()
        if live is None:
            return
        self.on_inject = self.on_inject or live.on_inject
        self.on_learn = self.on_learn or live.on_learn
        self.tokenizer_fn = live.tokenizer_fn or self.tokenizer_fn
        if live.chat_store is not None and not isinstance(live.chat_store, SimpleChatStore):
            self.chat_store = live.chat_store

    @field_validator("chat_store", mode="before")
    @classmethod
    def _chat_store_of(cls, value: Any) -> Any:
        return SimpleChatStore.from_dict(value) if isinstance(value, dict) else value

    @field_serializer("chat_store")
    def _own_history(self, chat_store: BaseChatStore) -> dict[str, Any]:
        # Only this conversation: the store may hold those of other users. And message by
        # message: with pydantic 2.14 a SimpleChatStore fails to dump itself.
        key = self.chat_store_key
        history = [
            message.model_dump(mode="json", fallback=str)
            for message in chat_store.get_messages(key)
        ]
        return {"class_name": SimpleChatStore.class_name(), "store": {key: history}}

    def get(
        self,
        input: str | ChatMessage | None = None,
        initial_token_count: int = 0,
        **kwargs: Any,
    ) -> list[ChatMessage]:
        """The history with the beliefs for this turn, as copies that are the caller's own.

        Args:
            input: the user's words, where they are not in the history yet; default: the
                user's last message.
            initial_token_count: tokens that the caller adds before these messages.
            kwargs: options of other memories; not used.
        """
        asked = self._asked(self.chat_store.get_messages(self.chat_store_key), input)
        context = self._recalled(asked)
        if context is None:
            context = self._kept(asked, self.recall(asked.query, previous=asked.previous))
        return self._answer(asked, context, initial_token_count)

    async def aget(
        self,
        input: str | ChatMessage | None = None,
        initial_token_count: int = 0,
        **kwargs: Any,
    ) -> list[ChatMessage]:
        """As :meth:`get`, without holding up the event loop."""
        asked = self._asked(await self._history(), input)
        context = self._recalled(asked)
        if context is None:
            context = self._kept(asked, await self.arecall(asked.query, previous=asked.previous))
        return self._answer(asked, context, initial_token_count)

    def get_all(self) -> list[ChatMessage]:
        """The history as it was said, without beliefs; copies."""
        return _copies(self.chat_store.get_messages(self.chat_store_key))

    async def aget_all(self) -> list[ChatMessage]:
        """The history as it was said, without beliefs; copies."""
        return _copies(await self._history())

    def put(self, message: ChatMessage) -> None:
        """Add a message to the history, less any memory that was injected into it.

        An answer ends a turn, which is then learned from where the memory has an extractor.
        """
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """As :meth:`put`, without holding up the event loop."""
        await self.aput_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Add messages to the history, in order; as :meth:`put`."""
        own = self._taken(messages)
        for message in own:
            self.chat_store.add_message(self.chat_store_key, message)
        self._observe(self._to_learn(own), self.chat_store_key)

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Add messages to the history, in order; as :meth:`aput`."""
        own = self._taken(messages)
        for message in own:
            if self._in_memory:
                self.chat_store.add_message(self.chat_store_key, message)
            else:
                await self.chat_store.async_add_message(self.chat_store_key, message)
        await self._aobserve(self._to_learn(own), self.chat_store_key)

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the history. Of it, only a turn without an answer is still learned from."""
        self.chat_store.set_messages(self.chat_store_key, self._replaced(messages))

    async def aset(self, messages: list[ChatMessage]) -> None:
        """Replace the history. Of it, only a turn without an answer is still learned from."""
        own = self._replaced(messages)
        await self.chat_store.aset_messages(self.chat_store_key, own)

    def reset(self) -> None:
        """Forget the conversation; beliefs stay (see ``UserMemory.forget``)."""
        self.chat_store.delete_messages(self.chat_store_key)
        self._replaced([])

    async def areset(self) -> None:
        """Forget the conversation; beliefs stay (see ``UserMemory.forget``)."""
        await self.chat_store.adelete_messages(self.chat_store_key)
        self._replaced([])

    @property
    def _in_memory(self) -> bool:
        """Whether the store waits for nothing: its async verbs would only change threads."""
        return type(self.chat_store) is SimpleChatStore

    async def _history(self) -> list[ChatMessage]:
        if self._in_memory:
            return self.chat_store.get_messages(self.chat_store_key)
        return await self.chat_store.aget_messages(self.chat_store_key)

    @property
    def _counter(self) -> TokenCounter:
        counter = self._counting
        if counter is None or counter.tokenizer is not self.tokenizer_fn:
            counter = self._counting = TokenCounter(self.tokenizer_fn)
        return counter

    def _taken(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages as the history keeps them; those that state something wait to be
        learned from."""
        own = [copy for message in messages if (copy := cleaned(message)) is not None]
        if any(message.role == MessageRole.USER for message in own):
            self._turn = None
        for message in own:
            self.messages_put += 1
            stated = statement(message, f"{self.chat_store_key}-{self.messages_put}")
            if stated is not None:
                self._unlearned.append(stated)
        return own

    def _replaced(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        self._turn = None
        own = self._taken(messages)
        self._unlearned.clear()
        index = last_user(own)
        if index is not None and not any(map(is_answer, own[index:])):
            self.messages_put -= len(own) - index
            self._taken(own[index:])
        return own

    def _to_learn(self, put: Sequence[ChatMessage]) -> list[Message]:
        """Everything said since the last answer, once there is one."""
        if not any(map(is_answer, put)):
            return []
        waiting, self._unlearned = self._unlearned, []
        return waiting

    def _asked(self, history: list[ChatMessage], input: str | ChatMessage | None) -> Asked:
        messages = list(history)
        index = last_user(messages)
        words = said(input) if isinstance(input, ChatMessage) else (input or "").strip()
        pending = bool(words) and not (
            index is not None
            and said(messages[index]) == words
            and not any(map(is_answer, messages[index:]))
        )
        if pending:
            query, previous = words, self._previous(messages, len(messages))
        else:
            query = "" if index is None else said(messages[index])
            previous = self._previous(messages, index)
        return Asked(messages, None if pending else index, query, previous, pending)

    def _key(self, asked: Asked) -> tuple[object, ...]:
        whose = (self.handle, self.user_id, tuple(self.scopes or ()), self.agent_id)
        return (*whose, self.budget, self.routes, asked.query, asked.previous)

    def _recalled(self, asked: Asked) -> Context | None:
        if asked.nobody:
            return Context()
        turn = self._turn
        known = turn is not None and not asked.pending and turn.key == self._key(asked)
        return turn.context if turn is not None and known else None

    def _kept(self, asked: Asked, context: Context) -> Context:
        # Words that are not in the history yet begin a turn each time they are asked about.
        self._turn = None if asked.pending else _Turn(self._key(asked), context)
        return context

    def _answer(self, asked: Asked, context: Context, reserved: int) -> list[ChatMessage]:
        answer = placed(
            asked,
            context,
            placement=self.placement,
            format=self.format,
            limit=self.token_limit - reserved,
            counter=self._counter,
            prefixed=reserved > 0,
        )
        self._tell(asked.query, answer.context, answer.system_text, answer.user_text)
        return answer.messages


def _copies(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    return [copied(message) for message in list(messages)]
