"""Beliefs as text for a model: typed, delimited, escaped sections.

Nothing here depends on anything but what the beliefs say: no instants, scores, ids or
counts. While no belief changes, not a byte does, and a provider's prompt cache stays warm.
"""

from __future__ import annotations

from collections.abc import Sequence

from belief_memory.injection import escape
from belief_memory.injection.marker import MARKDOWN_CLOSE, MARKDOWN_OPEN, XML_CLOSE, XML_OPEN
from belief_memory.injection.marks import marks
from belief_memory.model.belief import Belief
from belief_memory.model.context import Context, Format, Section
from belief_memory.model.episode import Episode

_WEAK = ' authority="low"'
_AUTHORITY = {"related": _WEAK, "evidence": _WEAK}
"""Recalled by likeness, or kept as raw words: weaker than what was recalled by name."""

_TITLES = {
    "persona": "About the user",
    "standing_facts": "Standing facts",
    "relevant": "Relevant",
    "open_questions": "Open questions",
    "related": "Possibly related (lower authority)",
    "evidence": "Evidence (lower authority)",
}


def render(context: Context, format: Format, section: Section) -> str:
    """The text to put before a model; ``""`` when the section has nothing to say.

    ``format`` "xml" gives one ``<memory …>`` element, well-formed XML; "markdown" gives
    headings and bullets between two comments. ``section`` "stable" holds persona and
    standing facts, "query" everything else, "all" both in one block, stable first.
    """
    parts = _stable(context) if section != "query" else []
    if section != "stable":
        parts += _query(context)
    whole, one = (_xml, _xml_belief) if format == "xml" else (_markdown, _markdown_belief)
    persona = context.persona if section != "query" and context.persona.strip() else ""
    sections = [(name, "\n".join(one(belief) for belief in beliefs)) for name, beliefs in parts]
    if section != "stable":
        turn = _xml_turn if format == "xml" else _markdown_turn
        sections.append(("evidence", "\n".join(map(turn, context.evidence))))
    return whole(persona, [part for part in sections if part[1]])


def _stable(context: Context) -> list[tuple[str, Sequence[Belief]]]:
    return [("standing_facts", context.pinned)]


def _query(context: Context) -> list[tuple[str, Sequence[Belief]]]:
    return [
        ("relevant", context.relevant),
        ("open_questions", context.questions),
        ("related", context.related),
    ]


def _xml(persona: str, sections: list[tuple[str, str]]) -> str:
    if persona:
        sections = [("persona", escape.element(persona)), *sections]
    if not sections:
        return ""
    body = "\n".join(
        f"<{name}{_AUTHORITY.get(name, '')}>\n{text}\n</{name}>" for name, text in sections
    )
    return f"{XML_OPEN}\n{body}\n{XML_CLOSE}"


def _xml_belief(belief: Belief) -> str:
    values = {
        "about": belief.canonical_name,
        "attribute": belief.attribute,
        "note": marks(belief),
    }
    attributes = "".join(
        f' {key}="{escape.attribute(value)}"' for key, value in values.items() if value
    )
    why = belief.why_it_matters
    directive = f"<directive>{escape.element(why)}</directive>" if why.strip() else ""
    return f"<{belief.type}{attributes}>{escape.element(belief.content)}{directive}</{belief.type}>"


def _xml_turn(turn: Episode) -> str:
    return f'<turn role="{escape.attribute(turn.role)}">{escape.element(turn.text)}</turn>'


def _markdown(persona: str, sections: list[tuple[str, str]]) -> str:
    if persona:
        lines = "\n".join(escape.markdown(line) for line in persona.split("\n"))
        sections = [("persona", lines), *sections]
    if not sections:
        return ""
    body = "\n\n".join(f"## {_TITLES[name]}\n{text}" for name, text in sections)
    return f"{MARKDOWN_OPEN}\n{body}\n{MARKDOWN_CLOSE}"


def _markdown_belief(belief: Belief) -> str:
    name = escape.markdown_name(belief.canonical_name)
    if belief.attribute is not None:
        name += f"** / **{escape.markdown_name(belief.attribute)}"
    mark = marks(belief)
    note = f" ({mark})" if mark else ""
    why = belief.why_it_matters
    directive = f"\n  → {escape.markdown(why)}" if why.strip() else ""
    return f"- **{name}**{note}: {escape.markdown(belief.content)}{directive}"


def _markdown_turn(turn: Episode) -> str:
    return f"- **{escape.markdown_name(turn.role)}**: {escape.markdown(turn.text)}"
