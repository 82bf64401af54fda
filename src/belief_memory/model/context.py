"""What a recall returns: routed beliefs, ready to be put before a model."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, Protocol

from belief_memory.errors import InvalidQuery
from belief_memory.model.belief import Belief
from belief_memory.model.episode import Episode

Route = Literal["persona", "pinned", "questions", "relevant", "related", "evidence"]
ROUTES: tuple[Route, ...] = (
    "persona",
    "pinned",
    "questions",
    "relevant",
    "related",
    "evidence",
)
Format = Literal["xml", "markdown"]
Section = Literal["all", "stable", "query"]
"""``stable`` (persona, standing facts) changes only when a belief does; ``query``
(relevant, open questions, related, evidence) depends on what was asked."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a recall may return; 0 gives nothing. ``max_tokens`` None is unlimited."""

    max_beliefs: int = 20
    max_pinned: int = 10
    max_questions: int = 15
    max_tokens: int | None = None
    max_related: int = 5
    max_evidence: int = 5
    """Turns of the route ``evidence``; of ``max_tokens`` they get what beliefs leave."""

    def __post_init__(self) -> None:
        for name in (
            "max_beliefs",
            "max_pinned",
            "max_questions",
            "max_tokens",
            "max_related",
            "max_evidence",
        ):
            value = getattr(self, name)
            if value is None and name == "max_tokens":
                continue
            if not isinstance(value, int) or isinstance(value, bool):
                raise InvalidQuery(name, f"expected a whole number, got {value!r:.80}")
            if value < 0:
                raise InvalidQuery(name, "may not be negative")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a belief was returned, or nearly was."""

    belief: Belief
    route: Route | None
    """None: it was not returned."""
    rule: str
    """The rule that decided, for example ``R3``."""
    why: str
    """The same in words."""
    name: str | None = None
    """The name that occurred in the query, as stored."""
    span: tuple[int, int] | None = None
    """Where in the query, as character offsets."""


@dataclass(frozen=True, slots=True)
class TurnReason:
    """Why a turn was returned as evidence, or was not."""

    turn: Episode
    returned: bool
    rule: str
    """``evidence``, ``echo`` (it says what is no longer so), or ``R9`` (the budget)."""
    why: str


class Explanation(list[Reason]):
    """Reasons, returned beliefs first; prints as one line each. What is told of turns is in
    ``evidence``."""

    evidence: tuple[TurnReason, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"{reason.route or '-':<9} {reason.rule:<4} {reason.belief.slot}: {reason.why}"
            for reason in self
        ]
        lines += [
            f"{'evidence' if one.returned else '-':<9} {one.rule:<4} "
            f"{one.turn.role} {one.turn.id}: {one.why}"
            for one in self.evidence
        ]
        return "\n".join(lines)


class Renderer(Protocol):
    """Turns a context into text; see ``belief_memory.injection``."""

    def __call__(self, context: Context, format: Format, section: Section) -> str: ...


def _unrendered(context: Context, format: Format, section: Section) -> str:
    raise NotImplementedError("this context was made without a renderer")


def _told(explanation: Explanation) -> Explanation:
    return explanation


@dataclass(frozen=True, slots=True)
class Context:
    """Routed beliefs. Falsy when there is nothing to inject."""

    persona: str = ""
    """The user's standing preferences and instructions, as one compact text."""
    persona_beliefs: list[Belief] = field(default_factory=list)
    pinned: list[Belief] = field(default_factory=list)
    relevant: list[Belief] = field(default_factory=list)
    questions: list[Belief] = field(default_factory=list)
    related: list[Belief] = field(default_factory=list)
    evidence: list[Episode] = field(default_factory=list)
    """Turns that bear on the query; see ``observe`` and the option ``episodes``."""
    renderer: Renderer = field(default=_unrendered, repr=False, compare=False)
    reasons: Callable[[], Explanation] = field(default=Explanation, repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(
            self.persona
            or self.pinned
            or self.relevant
            or self.questions
            or self.related
            or self.evidence
        )

    def render(self, format: Format = "xml", *, section: Section = "all") -> str:
        """The text to put before the model; ``""`` when there is nothing to say.

        Args:
            format: ``xml`` or ``markdown``.
            section: ``stable`` is the part that changes only when a belief does, ``query``
                the part that depends on the question; apart, an adapter can keep a
                provider's prompt cache warm.

        Raises:
            InvalidQuery: no such format or section.
        """
        if format not in ("xml", "markdown"):
            raise InvalidQuery("format", f"expected 'xml' or 'markdown', got {format!r:.80}")
        if section not in ("all", "stable", "query"):
            raise InvalidQuery(
                "section", f"expected 'all', 'stable' or 'query', got {section!r:.80}"
            )
        return self.renderer(self, format, section)

    def explain(self) -> Explanation:
        """For each belief returned or nearly returned, the rule and span that decided."""
        return self.reasons()

    def __reduce__(self) -> tuple[Any, ...]:
        # The reasons are found when they are asked for, from what stays in this process.
        told = [getattr(self, one.name) for one in fields(self)[:-1]]
        return Context, (*told, partial(_told, self.explain()))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.render() or '(nothing recalled)')}</pre>"
