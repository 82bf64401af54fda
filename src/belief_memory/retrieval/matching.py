"""Which beliefs a query names, and which it nearly names (Rules R3, R4, R7, R8, R13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belief_memory.model.belief import Belief
from belief_memory.model.context import Route
from belief_memory.retrieval import capitals
from belief_memory.retrieval.chains import Resolver
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.ordinary import is_ordinary
from belief_memory.retrieval.query import Query, shorter_forms
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.runs import Entry, forgives
from belief_memory.retrieval.user_attributes import phrases, speaks_of_self
from belief_memory.text.tokens import spaceless


@dataclass(slots=True)
class Ledger:
    """One index, read by one reader."""

    number: int
    index: RecallIndex
    resolver: Resolver


@dataclass(slots=True)
class Hit:
    """A name found in the query, and the belief it stands for."""

    ledger: Ledger
    target: Belief
    source: Belief
    """The version that has the name; not ``target`` if that superseded it."""
    name: str
    start: int
    end: int
    typo: bool
    alias: bool
    route: Route | None

    def order(self) -> tuple[bool, int, bool, str, int, int]:
        """Rule R9: exact before typo, longer before shorter, canonical before alias, id."""
        return (
            self.typo,
            -len(self.name),
            self.alias,
            self.target.id,
            self.target.rev,
            self.ledger.number,
        )


@dataclass(slots=True)
class Miss:
    """A belief nearly named, and the rule that was in the way."""

    belief: Belief
    rule: str
    why: str
    name: str
    start: int
    end: int


class Matcher:
    """Finds the names of some ledgers in one query."""

    def __init__(self, query: Query, ledgers: Sequence[Ledger]) -> None:
        self.query = query
        self.hits: list[Hit] = []
        self.misses: list[Miss] = []
        self._known = bytearray(len(query))
        """Tokens that belong to an eligible name, whether or not it counted."""
        for ledger in ledgers:
            self._exact(ledger)
            if ledger.index.user_slots:
                self._about_user(ledger)
        if 0 in self._known:
            for ledger in ledgers:
                self._typos(ledger)

    def _exact(self, ledger: Ledger) -> None:
        names, query = ledger.index.names, self.query
        get, starts = names.get, names.starts
        size = len(query.tokens)
        for at, token in enumerate(query.tokens):
            if (entries := get(token)) is not None:
                self._accept(ledger, entries, at, at + 1)
            last = token[-1]
            if last == "s" or last >= "\uac00":
                for form, plural in shorter_forms(token):
                    if (entries := get(form)) is not None:
                        self._accept(ledger, entries, at, at + 1, len(form), plural)
            if token in starts:
                for length in names.lengths(token):
                    if at + length <= size:
                        self._exact_run(ledger, at, at + length)

    def _exact_run(self, ledger: Ledger, start: int, end: int) -> None:
        get, query = ledger.index.names.get, self.query
        run = query.run(start, end)
        if (entries := get(run)) is not None:
            self._accept(ledger, entries, start, end)
        last = query.tokens[end - 1]
        if last[-1] == "s" or last[-1] >= "\uac00":
            for form, plural in shorter_forms(last):
                if (entries := get(run[: len(run) - len(last)] + form)) is not None:
                    self._accept(ledger, entries, start, end, len(form), plural)

    def _accept(
        self,
        ledger: Ledger,
        entries: list[Entry],
        start: int,
        end: int,
        length: int | None = None,
        plural: bool = False,
        typo: str | None = None,
    ) -> None:
        """Take the entries whose name really stands at ``start`` to ``end``.

        ``length`` is how much of the last token stands for the name, ``plural`` whether
        what was dropped is a plural s, ``typo`` the name's word for a misspelt token.
        """
        query = self.query
        if not query.whole(start, end):
            return
        for version, number, joints in entries:
            if end - start > 1 and not query.joined(start, end, joints):
                continue
            name = name_text(version, number)
            if plural and not self._takes_plural(name, end - 1, length or 0):
                continue
            target = ledger.resolver.target(version)
            if target is None:
                self._miss(version, "R1", "", name, start, end)
                continue
            if typo is None:
                self._known[start:end] = b"\x01" * (end - start)
            if end - start == 1:
                token = typo or query.tokens[start][:length]
                refused = capitals.refusal(name, token, query, start, length)
                if refused is not None:
                    self._miss(version, "R13", refused, name, start, end)
                    continue
            of_user = number > len(version.aliases)
            if of_user and not self._about_speaker(start, end):
                why = "one word, and the clause does not refer to the speaker"
                self._miss(version, "R3", why, name, start, end)
                continue
            alias = number not in (0, len(version.aliases) + 1)
            self._hit(ledger, target, version, name, start, end, typo is not None, alias)

    def _hit(
        self,
        ledger: Ledger,
        target: Belief,
        source: Belief,
        name: str,
        start: int,
        end: int,
        typo: bool,
        alias: bool,
    ) -> None:
        route = route_of(target)
        self.hits.append(Hit(ledger, target, source, name, start, end, typo, alias, route))

    def _miss(self, belief: Belief, rule: str, why: str, name: str, start: int, end: int) -> None:
        self.misses.append(Miss(belief, rule, why, name, start, end))

    def _takes_plural(self, name: str, at: int, length: int) -> bool:
        """Three letters or more, or capitals with a lower-case s (VMs)."""
        if sum(map(str.isalpha, name)) >= 3:
            return True
        written = self.query.surface(at)
        return name.isupper() and written[:length].isupper() and written.endswith("s")

    def _about_speaker(self, start: int, end: int) -> bool:
        tokens = self.query.tokens[start:end]
        one_word = end - start == 1 or all(map(spaceless, tokens))
        return not one_word or speaks_of_self(self.query, start, end)

    def _about_user(self, ledger: Ledger) -> None:
        shipped, query = phrases(), self.query
        for start, token in enumerate(query.tokens):
            for form in (token, *(form for form, _ in shorter_forms(token))):
                for length in shipped.lengths.get(form, ()):
                    end = start + length
                    if end <= len(query):
                        self._shipped(ledger, start, end)

    def _shipped(self, ledger: Ledger, start: int, end: int) -> None:
        shipped, query = phrases(), self.query
        run = query.run(start, end)
        last = query.tokens[end - 1]
        runs = [run, *(run[: len(run) - len(last)] + form for form, _ in shorter_forms(last))]
        for phrase in (phrase for form in runs for phrase in shipped.by_run.get(form, ())):
            versions = [
                version
                for attribute in phrase.attributes
                for version in ledger.index.user_slots.get(attribute, {}).values()
            ]
            if not versions or not query.joined(start, end, phrase.joints):
                continue
            if not phrase.own and not speaks_of_self(query, start, end, phrase.language):
                continue
            for version in versions:
                target = ledger.resolver.target(version)
                if target is None:
                    self._miss(version, "R1", "", phrase.text, start, end)
                    continue
                self._known[start:end] = b"\x01" * (end - start)
                self._hit(ledger, target, version, phrase.text, start, end, False, True)

    def _typos(self, ledger: Ledger) -> None:
        words = ledger.index.names.words
        near: dict[str, list[str]] = {}
        for at, token in enumerate(self.query.tokens):
            if self._known[at]:
                continue
            written = token[:-2] if token.endswith("'s") else token
            if not forgives(written):
                continue
            if written not in near:
                near[written] = words.one_edit_from(written)
            for word in near[written]:
                self._misspelt(ledger, at, written, word)

    def _misspelt(self, ledger: Ledger, at: int, token: str, word: str) -> None:
        """The names that the query has with ``token`` where they have ``word``."""
        names, tokens = ledger.index.names, self.query.tokens
        entries = names.get(word)
        if entries is not None:
            if is_ordinary(token):
                for version, number, _ in entries:
                    if ledger.resolver.target(version) is not None:
                        why = f"{token!r} is a word of its own, no misspelt {word!r}"
                        name = name_text(version, number)
                        self._miss(version, "R4b", why, name, at, at + 1)
            else:
                self._accept(ledger, entries, at, at + 1, len(token), typo=word)
        for start in range(max(0, at - names.longest + 1), at + 1):
            for length in names.lengths(word if start == at else tokens[start]):
                end = start + length
                if at < end <= len(tokens):
                    run = " ".join([*tokens[start:at], word, *tokens[at + 1 : end]])
                    if (entries := names.get(run)) is not None:
                        self._accept(ledger, entries, start, end, typo=word)


def name_text(version: Belief, number: int) -> str:
    """The name with this number, as stored (see ``text.keys.name_keys``)."""
    if number == 0:
        return version.canonical_name
    aliases = len(version.aliases)
    if number <= aliases:
        return version.aliases[number - 1]
    if number == aliases + 1:
        return version.attribute or ""
    return version.attribute_aliases[number - aliases - 2]
