"""How the time phrases of one language are written: patterns made from its table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from belief_memory.learning.languages import Language, any_of, languages, whole

Unit = Literal["day", "week", "month", "year"]
UNITS: tuple[Unit, ...] = ("day", "week", "month", "year")


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a phrase names, before it meets a date."""

    span: tuple[int, int]
    relation: Literal["at", "since", "from", "until"] = "at"
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    unit: Unit | None = None
    offset: int | None = None
    year_offset: int | None = None
    whole: bool = True
    """The whole unit is meant ("last month"), not one day in it ("a month ago")."""
    ahead: bool = False


Reader = Callable[[re.Match[str]], Phrase | None]
"""What a match names; None where it names nothing."""

_YEAR = r"(?:19|20)\d\d"
_RANGE_MARK = r"\s*[-–—〜～]\s*"


def around_han() -> tuple[str, str]:
    """What may stand before and behind a phrase in a script without spaces."""
    before = [w for lang in languages() if lang.spaceless for w in lang.time.get("since", ())]
    until = [w for lang in languages() if lang.spaceless for w in lang.time.get("until", ())]
    after = [w for lang in languages() for w in lang.time.get("since_after", ())]
    ends = [w for lang in languages() for w in lang.time.get("until_after", ())]
    return (
        rf"(?:(?P<before>{any_of(before)})|(?P<till>{any_of(until)}))?",
        rf"(?:(?P<after>{any_of(after)})|(?P<ends>{any_of(ends)}))?",
    )


def relation_han(match: re.Match[str]) -> Literal["at", "since", "until"]:
    """How what stands around a phrase relates to it."""
    if match["before"] or match["after"]:
        return "since"
    return "until" if match["till"] or match["ends"] else "at"


@lru_cache(maxsize=1)
def _ambiguous() -> frozenset[str]:
    """Names of days and months that are other words too, in whatever language: alone,
    without a word like "in" or "since" before them, they are no time."""
    return frozenset(word for lang in languages() for word in lang.time.get("ambiguous", ()))


class LanguageReader:
    """Builds the patterns of one language from its table."""

    def __init__(self, language: Language) -> None:
        self.spaceless = language.spaceless
        self.time: dict[str, Any] = language.time
        self.months = self._numbered("months")
        self.weekdays = self._numbered("weekdays")
        self.units = {word: unit for unit in UNITS for word in self.time.get(unit, ())}
        self.numbers: dict[str, int] = self.time.get("numbers", {})

    def readers(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        yield from self._relative_days()
        yield from self._counted()
        yield from self._periods()
        yield from self._weekday_names()
        yield from self._month_names()
        if not self.spaceless:
            yield from self._years()

    def _numbered(self, kind: str) -> dict[str, int]:
        return {w: index for index, words in enumerate(self.time.get(kind, ())) for w in words}

    def _compile(self, body: str, *, bare: bool = True) -> re.Pattern[str]:
        """A pattern with the relation before (or, without spaces, around) the body."""
        if self.spaceless:
            before, after = around_han()
            return re.compile(rf"{before}(?:{body}){after}")
        leads = []
        for relation in ("until", "from", "since", "at"):
            words = self.time.get(relation, ())
            if words:
                leads.append(rf"(?P<{relation}>{any_of(words)})")
        lead = rf"(?:(?:{'|'.join(leads)})\s+)" + ("?" if bare else "")
        return re.compile(rf"(?<![\w'])(?:{lead})(?:{body})(?!\w)")

    def _relation(self, match: re.Match[str]) -> Any:
        if self.spaceless:
            return relation_han(match)
        groups = match.groupdict()
        return next((name for name in ("until", "from", "since") if groups.get(name)), "at")

    def _relative_days(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        days: dict[str, int] = self.time.get("days", {})
        if days:
            yield (
                self._compile(rf"(?P<word>{any_of(days)})"),
                lambda m: Phrase(
                    (0, 0),
                    self._relation(m),
                    unit="day",
                    offset=days[re.sub(r"\s+", " ", m["word"])],
                ),
            )

    def _counted(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        number = rf"(?P<n>\d{{1,3}}|{any_of(self.numbers)})"
        unit = rf"(?P<unit>{any_of(self.units)})"
        for kind, sign, relation in (
            ("ago", -1, "at"),
            ("during", -1, "since"),
            ("ahead", 1, "from"),
        ):
            for template in self.time.get(kind, ()):
                body = re.escape(template).replace(r"\ ", r"\s+")
                body = body.replace(r"\{n\}", number).replace(r"\{unit\}", unit)
                pattern = self._compile(body) if kind == "ago" else self._bounded(body)
                yield pattern, self._count_reader(sign, relation)

    def _bounded(self, body: str) -> re.Pattern[str]:
        return re.compile(body if self.spaceless else rf"(?<![\w'])(?:{body})(?!\w)")

    def _count_reader(self, sign: int, relation: Any) -> Reader:
        def read(match: re.Match[str]) -> Phrase | None:
            groups = match.groupdict()
            said = groups.get("n")
            number = 1 if said is None else self._number(said)
            if number is None:
                return None
            led: Any = self._relation(match) if "at" in groups or "before" in groups else "at"
            return Phrase(
                (0, 0),
                led if led != "at" else relation,
                unit=self.units[match["unit"]],
                offset=sign * number,
                whole=False,
            )

        return read

    def _number(self, said: str) -> int | None:
        return int(said) if said.isdigit() else self.numbers.get(re.sub(r"\s+", " ", said))

    def _periods(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        named: dict[str, list[Any]] = self.time.get("periods", {})
        if named:
            yield (
                self._compile(rf"(?P<word>{any_of(named)})"),
                lambda m: Phrase(
                    (0, 0), self._relation(m), unit=named[m["word"]][0], offset=named[m["word"]][1]
                ),
            )
        # A single day or a number of them is counted, never "the last day".
        nouns = {w: u for w, u in self.units.items() if u != "day"} | self._targets()
        for kind, offset in (("last", -1), ("this", 0), ("next", 1)):
            words = self.time.get(kind, ())
            if not words or not nouns:
                continue
            which, noun = rf"(?:{any_of(words)})", rf"(?P<noun>{any_of(nouns)})"
            gap = "" if self.spaceless else r"\s+"
            yield (
                self._compile(rf"(?:la\s+|le\s+|el\s+|l')?(?:{which}{gap}{noun})"),
                self._period_reader(offset),
            )
            if not self.spaceless:
                yield (
                    self._compile(rf"(?:la\s+|le\s+|el\s+|l')?(?:{noun}{gap}{which})"),
                    self._period_reader(offset),
                )

    def _targets(self) -> dict[str, Any]:
        return {**dict.fromkeys(self.months, "a month"), **dict.fromkeys(self.weekdays, "a day")}

    def _period_reader(self, offset: int) -> Reader:
        def read(match: re.Match[str]) -> Phrase | None:
            noun, relation = match["noun"], self._relation(match)
            if noun in self.units:
                return Phrase((0, 0), relation, unit=self.units[noun], offset=offset)
            if noun in self.weekdays:
                return Phrase(
                    (0, 0), relation, weekday=self.weekdays[noun], offset=offset, ahead=offset > 0
                )
            # "Last May" is the latest May that has begun, "next May" the coming one.
            return Phrase((0, 0), relation, month=self.months[noun] + 1, ahead=offset > 0)

        return read

    def _weekday_names(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        names = self.weekdays
        if names:
            safe = [w for w in names if w not in _ambiguous()]
            for words, bare in ((safe, True), (list(names), False)):
                yield (
                    self._compile(rf"(?P<name>{any_of(words)})", bare=bare),
                    lambda m: Phrase((0, 0), self._relation(m), weekday=names[m["name"]]),
                )

    def _month_names(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        if not self.months:
            return
        month = rf"(?P<month>{any_of(self.months)})"
        if self.spaceless:
            yield self._compile(rf"(?<!\d){month}(?!\d)"), self._month_reader
            return
        day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
        year = rf"(?P<year>{_YEAR})"
        last = any_of(self.time.get("last", ()))
        yearly = (
            rf"(?:,?\s+(?:de\s+|of\s+|del\s+)?{year}"
            rf"|\s+(?:{any_of(['of', 'of the', 'des', 'de'])}\s+)?(?P<last>{last})\s+"
            rf"(?:{any_of(self.time.get('year', ()))}))?"
        )
        of = r"(?:of\s+|de\s+|di\s+)?"
        yield self._compile(rf"(?:the\s+)?{day}\s+{of}{month}\.?{yearly}"), self._month_reader
        yield self._compile(rf"{month}\.?\s+(?:the\s+)?{day}(?!\d){yearly}"), self._month_reader
        yield self._compile(rf"{month}\.?,?\s+(?:of\s+|de\s+)?{year}"), self._month_reader
        safe = [w for w in self.months if w not in _ambiguous()]
        for words, bare in ((safe, True), (list(self.months), False)):
            yield (
                self._compile(rf"(?P<month>{any_of(words)})\.?{yearly}", bare=bare),
                self._month_reader,
            )

    def _month_reader(self, match: re.Match[str]) -> Phrase | None:
        groups = match.groupdict()
        day = int(groups["day"]) if groups.get("day") else None
        if day is not None and not 1 <= day <= 31:
            return None
        return Phrase(
            (0, 0),
            self._relation(match),
            month=self.months[match["month"]] + 1,
            day=day,
            year=int(groups["year"]) if groups.get("year") else None,
            year_offset=-1 if groups.get("last") else None,
        )

    def _years(self) -> Iterator[tuple[re.Pattern[str], Reader]]:
        year = rf"(?P<year>{_YEAR})(?![-/.]\d)"
        yield (
            self._compile(year, bare=False),
            lambda m: Phrase((0, 0), self._relation(m), year=int(m["year"])),
        )
        joints = whole(self.time.get("to", ()))
        joint = rf"(?:{_RANGE_MARK}|\s+(?:{joints})\s+)" if joints else _RANGE_MARK
        yield (
            re.compile(rf"(?<=\d\d\d\d){joint}(?P<year>{_YEAR})(?![-/.]?\d)"),
            lambda m: Phrase((0, 0), "until", year=int(m["year"]) + 1),
        )
        yield (
            re.compile(rf"(?<![\w.,/-])(?P<year>{_YEAR})(?={joint}{_YEAR})"),
            lambda m: Phrase((0, 0), "at", year=int(m["year"])),
        )
