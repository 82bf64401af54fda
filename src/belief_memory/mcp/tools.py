"""The tools: the verbs of one user's memory that a model may call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from belief_memory import UNSET, AsyncUserMemory, InvalidQuery
from belief_memory.mcp import answers, arguments
from belief_memory.mcp.answers import Told
from belief_memory.mcp.targets import erasable, named, recorded

Effect = Literal["reads", "writes", "erases"]


@dataclass(frozen=True, slots=True)
class BeliefTool:
    """One tool, before it meets a protocol."""

    name: str
    title: str
    description: str
    effect: Effect
    arguments: type[arguments.Arguments]
    answer: type[BaseModel]
    run: Callable[[AsyncUserMemory, Any], Awaitable[Told]]


async def _recall(user: AsyncUserMemory, given: arguments.Recall) -> Told:
    context = await user.recall(given.query, previous=given.previous, as_of=given.as_of)
    return answers.tell_context(context)


async def _remember(user: AsyncUserMemory, given: arguments.Remember) -> Told:
    outcome = await user.remember(
        given.about,
        given.statement,
        attribute=given.attribute,
        why_it_matters=given.why_it_matters,
        aliases=given.aliases,
        type=given.kind,
        cardinality=given.cardinality,
        valid_from=given.valid_from,
        valid_to=given.valid_to,
        provenance=_PROVENANCE,
    )
    return answers.tell_outcome(outcome)


async def _correct(user: AsyncUserMemory, given: arguments.Correct) -> Told:
    what = await named(user, given.about, given.attribute)
    outcome = await user.correct(
        what.target,
        given.statement,
        why_it_matters=given.why_it_matters or None,
        aliases=given.aliases,
        scopes=what.scopes,
        provenance=_PROVENANCE,
        valid_from=UNSET if given.valid_from is None else given.valid_from,
        valid_to=UNSET if given.valid_to is None else given.valid_to,
    )
    return answers.tell_outcome(outcome)


async def _retract(user: AsyncUserMemory, given: arguments.Retract) -> Told:
    what = await named(user, given.about, given.attribute)
    outcome = await user.retract(
        what.target,
        valid_from=given.valid_from,
        never_true=given.never_true,
        scopes=what.scopes,
    )
    return answers.tell_outcome(outcome)


async def _history(user: AsyncUserMemory, given: arguments.History) -> Told:
    versions = await recorded(user, given.about, given.attribute)
    return answers.tell_history(versions, given.limit)


async def _beliefs(user: AsyncUserMemory, given: arguments.Beliefs) -> Told:
    if given.about is None and given.attribute is not None:
        raise InvalidQuery("attribute", "say of what, in about")
    slot = None if given.about is None else (given.about, given.attribute)
    found = await user.beliefs(
        slot=slot, types=given.kinds, valid_at=given.valid_at, known_at=given.known_at
    )
    return answers.tell_beliefs(found, given.limit, "Nothing is held there.")


async def _search(user: AsyncUserMemory, given: arguments.Search) -> Told:
    found = await user.search(given.text, types=given.kinds, limit=given.limit + 1)
    return answers.tell_beliefs(found, given.limit, "No belief has these words.")


async def _forget(user: AsyncUserMemory, given: arguments.Forget) -> Told:
    ids = await erasable(user, given.about, given.attribute)
    return answers.tell_receipt(await user.forget(ids))


_PROVENANCE = {"source": "tool"}

TOOLS = (
    BeliefTool(
        "recall",
        "Recall",
        "Look up what is known about the user and their world. Call it with the user's message "
        "before you answer. Finds the beliefs that the text names, and the user's standing "
        "preferences; finds nothing where nothing is named.",
        "reads",
        arguments.Recall,
        answers.RecallAnswer,
        _recall,
    ),
    BeliefTool(
        "remember",
        "Remember",
        "Remember a lasting fact or preference that the user stated. A new value replaces the "
        "old one of the same name and attribute from now on, and the old one stays in the "
        "history. Use correct where the old value never was right.",
        "writes",
        arguments.Remember,
        answers.OutcomeAnswer,
        _remember,
    ),
    BeliefTool(
        "correct",
        "Correct",
        "Correct what was remembered wrongly, as opposed to what has changed since.",
        "writes",
        arguments.Correct,
        answers.OutcomeAnswer,
        _correct,
    ),
    BeliefTool(
        "retract",
        "Retract",
        "Say that something remembered is no longer true, with nothing in its place. The "
        "history keeps it.",
        "writes",
        arguments.Retract,
        answers.OutcomeAnswer,
        _retract,
    ),
    BeliefTool(
        "history",
        "History",
        "Read how something remembered has changed: every version, with when it was true and "
        "when it was known.",
        "reads",
        arguments.History,
        answers.HistoryAnswer,
        _history,
    ),
    BeliefTool(
        "beliefs",
        "Beliefs",
        "List what is held, all of it or under one name, now or as of another time.",
        "reads",
        arguments.Beliefs,
        answers.BeliefsAnswer,
        _beliefs,
    ),
    BeliefTool(
        "search",
        "Search",
        "Search the words of everything held now, where recall by name finds nothing.",
        "reads",
        arguments.Search,
        answers.BeliefsAnswer,
        _search,
    ),
    BeliefTool(
        "forget",
        "Forget",
        "Erase something and its history for good. Only when the user asks for erasure; use "
        "retract for what is merely over.",
        "erases",
        arguments.Forget,
        answers.ForgetAnswer,
        _forget,
    ),
)


def tools(*, read_only: bool, allow_forget: bool) -> tuple[BeliefTool, ...]:
    """The tools that such a server offers."""
    return tuple(
        tool
        for tool in TOOLS
        if tool.effect == "reads" or (not read_only and (tool.effect == "writes" or allow_forget))
    )
