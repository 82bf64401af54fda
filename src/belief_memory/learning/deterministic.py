"""An extractor without a model: declared patterns, and honest about what it misses.

It knows what its rule files say and nothing else. It learns simple first-person and
"X is Y" statements; it misses whatever is said in another way, names typed in lower case,
facts spread over sentences, and everything in a language without a rule file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from belief_memory.learning.rulebook import Rule, Rulebook, fill, read_rules
from belief_memory.learning.sentences import clauses, sentences, within_quotation
from belief_memory.learning.when import When, find_times
from belief_memory.model.learning import Extraction, Learned, Lesson, Said
from belief_memory.model.slot import Slot

_LONGEST = 400
"""Characters of a sentence; longer ones are no simple statements."""

_NUMBERED = re.compile(r"^\s*(?:[-*•]|\(?\d+[.):])\s+")
_END = re.compile(r"(?<!\.)[.!…]+$|(?<=\w\.)\.$|(?<=\w)\.+$")
_ABBREVIATION = re.compile(r"(?:\b[A-Z]\.|\b(?:Inc|Ltd|Corp|Jr|Sr|Co|St)\.)$")


class DeterministicExtractor:
    """Learns what its rule files declare; needs no model and no network.

    Args:
        rules: names of shipped rule files ("en", "de", "es", "fr", and "facts" for lists
            of facts) or paths of your own; see ``learning/rules/en.toml`` for the format.

    Raises:
        InvalidQuery: a rule file is missing or breaks the format.
    """

    name = "deterministic"

    def __init__(self, rules: Iterable[str | Path] = ("en", "de", "es", "fr")) -> None:
        self._books = [read_rules(one) for one in rules]

    async def extract(self, lesson: Lesson) -> Extraction:
        """What the user's messages say by one of the rules."""
        return Extraction(
            tuple(one for said in lesson.turns if said.role == "user" for one in self.read(said))
        )

    def read(self, said: Said) -> list[Learned]:
        """What one message says by one of the rules."""
        found: list[list[Learned]] = [[] for _ in self._books]
        for lines in {book.lines for book in self._books}:
            # Statement by statement: what is read of one is still at hand for the next book.
            for text in _statements(said.prose, lines=lines):
                for book, part in zip(self._books, found, strict=True):
                    if book.lines == lines:
                        part.extend(_learned(book, text, said))
        return [one for part in found for one in part]


def _statements(prose: str, *, lines: bool) -> Iterator[str]:
    if lines:
        yield from (_NUMBERED.sub("", line).strip() for line in prose.splitlines() if line.strip())
        return
    for sentence in sentences(prose):
        inside = within_quotation(prose, sentence.start, sentence.end)
        if sentence.kind == "statement" and not inside:
            yield _NUMBERED.sub("", sentence.text)


def _learned(book: Rulebook, text: str, said: Said) -> list[Learned]:
    if len(text) > _LONGEST:
        return []
    whole = _matched(book, text, said, text)
    if whole is not None:
        return [whole]
    if book.lines:
        return []
    found: list[Learned] = []
    goes_on = False
    for _, clause in clauses(text):
        learned = _matched(book, clause, said, text)
        if learned is None and goes_on and book.subject is not None:
            learned = _matched(book, f"{book.subject} {clause}", said, text)
        if book.subject is not None:
            goes_on = goes_on or re.match(rf"(?i){re.escape(book.subject)}\b", clause) is not None
        if learned is not None:
            found.append(learned)
    return found


def _matched(book: Rulebook, text: str, said: Said, quote: str) -> Learned | None:
    times = find_times(text, said.at)
    plain, corrects = _core(book, _without_times(text, times) if times else text)
    timed = _core(book, text)[0] if times else plain
    for rule in book.rules:
        slots = rule.match(plain)
        if slots is None and times:
            # The time is what is said ("my birthday is May 3"), not when it is true.
            slots = rule.match(timed)
            said_when = [] if slots is not None else times
        else:
            said_when = times
        if slots is not None:
            interval = _interval(rule, said_when, said.at)
            if interval is not None:
                return _as_learned(rule, slots, interval, said, quote, corrects=corrects)
    return None


def _core(book: Rulebook, text: str) -> tuple[str, bool]:
    """The statement without what may stand before and behind it, and whether it corrects."""
    text = text.replace("’", "'").strip()
    text = text if _ABBREVIATION.search(text) else _END.sub("", text).strip()
    corrects = False
    while True:
        before = book.correcting.match(text)
        if before is not None:
            corrects = True
        else:
            before = book.leading.match(text)
        if before is None:
            break
        text = text[before.end() :].strip()
    return book.trailing.sub("", text).strip(" ,"), corrects


def _without_times(text: str, times: list[When]) -> str:
    parts: list[str] = []
    at = 0
    for when in times:
        parts.append(text[at : when.span[0]])
        at = when.span[1]
    left = "".join([*parts, text[at:]])
    return re.sub(r"\s+([,.!])", r"\1", " ".join(left.split())).strip(" ,")


def _interval(
    rule: Rule, times: list[When], at: datetime
) -> tuple[datetime | None, datetime | None] | None:
    """From when to when; None where the rule needs to know and the text does not say."""
    starts = [when for when in times if when.valid_from is not None]
    ends = [when for when in times if when.valid_to is not None]
    if len(starts) > 1 or len(ends) > 1:
        return None
    start = starts[0].start if starts else None
    end = ends[0].valid_to if ends else None
    if not rule.needs_interval:
        return start, end
    if start is not None and end is None and starts[0].relation == "at":
        end = min(starts[0].end, at)
    return (start, end) if start is not None and end is not None and start < end else None


def _as_learned(
    rule: Rule,
    slots: dict[str, str],
    interval: tuple[datetime | None, datetime | None],
    said: Said,
    quote: str,
    *,
    corrects: bool,
) -> Learned:
    slots = {name: value.strip('"“”„«»「」') for name, value in slots.items()}
    slots["sentence"] = quote
    attribute = fill(rule.attribute, slots) if rule.attribute is not None else None
    aliases = (fill(one, slots) for one in rule.aliases)
    return Learned(
        slot=Slot(fill(rule.name, slots), attribute or None),
        content=fill(rule.content or "{value}", slots),
        why_it_matters=fill(rule.why, slots),
        act="correct" if corrects and rule.act == "change" else rule.act,
        aliases=tuple(dict.fromkeys(filter(None, aliases))),
        attribute_aliases=tuple(fill(one, slots) for one in rule.attribute_aliases),
        type=rule.type,
        cardinality=rule.cardinality,
        member=None if rule.member is None else fill(rule.member, slots),
        valid_from=interval[0],
        valid_to=interval[1],
        message_id=said.id,
        quote=quote,
        declared=True,
    )
