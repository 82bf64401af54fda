"""Rule files of the deterministic extractor, read and checked."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

from belief_memory.errors import InvalidQuery
from belief_memory.learning.languages import any_of
from belief_memory.learning.templates import Template, compile_template, one_of, singular
from belief_memory.model.belief import BeliefType
from belief_memory.model.learning import Act

_FIELDS = frozenset(
    "say name attribute content why type act member cardinality aliases attribute_aliases"  # noqa: SIM905
    " unless only needs".split()
)
_FILL = re.compile(r"\{(\w+)(\|singular)?\}")


@dataclass(frozen=True)
class Rule:
    """One rule: how it is said, and what is believed then."""

    say: tuple[Template, ...]
    name: str
    attribute: str | None
    content: str
    why: str
    type: BeliefType
    act: Act
    member: str | None
    cardinality: Any
    aliases: tuple[str, ...]
    attribute_aliases: tuple[str, ...]
    unless: Mapping[str, tuple[str, ...]]
    only: Mapping[str, tuple[str, ...]]
    needs_interval: bool

    def match(self, text: str) -> dict[str, str] | None:
        """The slots' texts if ``text`` is said by this rule."""
        for template in self.say:
            slots = template.match(text)
            if slots is not None and self._allowed(slots):
                return slots
        return None

    def _allowed(self, slots: Mapping[str, str]) -> bool:
        return all(
            one_of(slots.get(name, ""), words) for name, words in self.only.items()
        ) and not any(
            name in slots and one_of(slots[name], words) for name, words in self.unless.items()
        )


@dataclass(frozen=True)
class Rulebook:
    """One rule file."""

    language: str
    rules: tuple[Rule, ...]
    lines: bool = False
    """Every line is one statement."""
    subject: str | None = None
    """What a clause without a subject takes from the clause before it."""
    leading: re.Pattern[str] = field(default=re.compile(r"(?!)"))
    trailing: re.Pattern[str] = field(default=re.compile(r"(?!)"))
    correcting: re.Pattern[str] = field(default=re.compile(r"(?!)"))


def read_rules(source: str | Path) -> Rulebook:
    """A shipped rule file by its name ("en"), or one of your own by its path.

    Raises:
        InvalidQuery: there is no such file, or it breaks the format; names the rule.
    """
    path = Path(source)
    shipped = files(__package__).joinpath("rules", f"{source}.toml")
    try:
        text = path.read_text("utf-8") if path.suffix == ".toml" else shipped.read_text("utf-8")
        raw = tomllib.loads(text)
    except FileNotFoundError:
        raise InvalidQuery("rules", f"no such rule file: {str(source)!r:.80}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidQuery("rules", f"{source}: {error}") from None
    return Rulebook(
        language=str(raw.get("language", "")),
        rules=tuple(
            _rule(one, f"{source}: rule {n}") for n, one in enumerate(raw.get("rule", ()), 1)
        ),
        lines=bool(raw.get("lines", False)),
        subject=raw.get("subject"),
        leading=_edge(raw.get("leading", ()), r"^(?:{})(?:[,:;!.…]+\s*|\s+-+\s+|\s+)"),
        trailing=_edge(raw.get("trailing", ()), r"(?:,?\s+(?:{}))+$"),
        correcting=_edge(raw.get("correcting", ()), r"^(?:{})(?:[,:;!.…]+\s*|\s+-+\s+|\s+)"),
    )


def _edge(words: Any, pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("{}", any_of(words)) if words else r"(?!)", re.IGNORECASE)


def _rule(raw: Mapping[str, Any], place: str) -> Rule:
    unknown = raw.keys() - _FIELDS
    if unknown:
        raise InvalidQuery("rules", f"{place}: unknown {', '.join(sorted(unknown))}")
    type_, act = raw.get("type", "fact"), raw.get("act", "change")
    if type_ not in get_args(BeliefType) or act not in get_args(Act):
        raise InvalidQuery("rules", f"{place}: unknown type or act")
    if act not in ("retract", "alias") and not (raw.get("content") and raw.get("why")):
        raise InvalidQuery("rules", f"{place}: content and why are needed")
    try:
        say = tuple(compile_template(one) for one in raw["say"])
    except (KeyError, ValueError, re.error) as error:
        raise InvalidQuery("rules", f"{place}: {error}") from None
    return Rule(
        say=say,
        name=raw.get("name", "user"),
        attribute=raw.get("attribute"),
        content=raw.get("content", ""),
        why=raw.get("why", ""),
        type=type_,
        act=act,
        member=raw.get("member"),
        cardinality=raw.get("cardinality"),
        aliases=tuple(raw.get("aliases", ())),
        attribute_aliases=tuple(raw.get("attribute_aliases", ())),
        unless={name: tuple(words) for name, words in raw.get("unless", {}).items()},
        only={name: tuple(words) for name, words in raw.get("only", {}).items()},
        needs_interval=raw.get("needs") == "interval",
    )


def fill(template: str, slots: Mapping[str, str]) -> str:
    """The text with the slots filled in; an empty slot leaves no double space."""

    def value(match: re.Match[str]) -> str:
        found = slots.get(match[1], "")
        return singular(found) if match[2] else found

    filled = " ".join(_FILL.sub(value, template).split())
    return filled[:-1] if filled.endswith("..") and "." in template else filled
