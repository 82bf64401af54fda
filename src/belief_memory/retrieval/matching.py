"""Which beliefs a query names, and which it nearly names (Rules R3, R4, R7, R8, R13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belief_memory.model.belief import Belief
from belief_memory.model.context import Route
from belief_memory.retrieval import capitals
from belief_memory.retrieval.chains import Resolver
from belief_memory.retrieval.index import RecallIndex
from belief_memory.retrieval.ordinary import is_less_frequent, is_ordinary
from belief_memory.retrieval.query import Query, shorter_forms, unsuffixed
from belief_memory.retrieval.routes import route_of
from belief_memory.retrieval.runs import Entry, Words, forgives
from belief_memory.retrieval.speakers import speaks_of_self
from belief_memory.retrieval.user_attributes import Found, attribute_of
from belief_memory.text.tokens import spaceless


@dataclass(slots=True)
class Ledger:
    """One index, read by one reader."""

    number: int
    index: RecallIndex
    resolver: Resolver


@dataclass(slots=True)
class Meaning:
    """What a name stands for, wherever in the query it is found."""

    name: str
    joints: tuple[str, ...] | None
    source: Belief
    """The version that has the name; not ``target`` if that superseded it."""
    target: Belief | None
    route: Route | None
    alias: bool
    of_user: bool


@dataclass(slots=True)
class Hit:
    """A name found in the query, and the belief it stands for."""

    ledger: Ledger
    meaning: Meaning
    target: Belief
    start: int
    end: int
    typo: bool

    @property
    def name(self) -> str:
        return self.meaning.name

    @property
    def route(self) -> Route | None:
        return self.meaning.route

    @property
    def source(self) -> Belief:
        return self.meaning.source

    def order(self) -> tuple[bool, int, bool, str, int, int, bool]:
        """Rule R9: exact before typo, longer before shorter, canonical before alias, id."""
        return (
            self.typo,
            -len(self.meaning.name),
            self.meaning.alias,
            self.target.id,
            self.target.rev,
            self.ledger.number,
            self.source is not self.target,
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
        self._resolved: dict[tuple[int, int, int], list[Meaning]] = {}
        self._phrases: Found | None = None
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
        for token, places in query.positions.items():
            exact = get(token)
            shorter: list[tuple[list[Entry], int, bool]] = []
            last = token[-1]
            if last == "s" or last >= "\uac00":
                for form, plural in shorter_forms(token):
                    if (entries := get(form)) is not None:
                        shorter.append((entries, len(form), plural))
            if exact is not None or shorter:
                for at in places:
                    if exact is not None and self._accept(ledger, exact, at, at + 1):
                        continue
                    for entries, length, plural in shorter:
                        self._accept(ledger, entries, at, at + 1, length, plural)
            if token in starts:
                for length in names.lengths(token):
                    for at in places:
                        if at + length <= size:
                            self._exact_run(ledger, at, at + length)

    def _exact_run(self, ledger: Ledger, start: int, end: int) -> None:
        get, query = ledger.index.names.get, self.query
        run = query.run(start, end)
        entries = get(run)
        if entries is not None and self._accept(ledger, entries, start, end):
            return
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
    ) -> bool:
        """Take the entries whose name really stands at ``start`` to ``end``; returns
        whether one of them is a name of something eligible, whether or not it counted.

        ``length`` is how much of the last token stands for the name, ``plural`` whether
        what was dropped is a plural s, ``typo`` the name's word for a misspelt token.
        """
        query, found = self.query, False
        if not query.whole(start, end):
            return found
        for meaning in self._meanings(ledger, entries):
            name = meaning.name
            if end - start > 1 and not query.joined(start, end, meaning.joints):
                continue
            if plural and not self._takes_plural(name, end - 1, length or 0):
                continue
            if meaning.target is None:
                self._miss(meaning.source, "R1", "", name, start, end)
                continue
            found = True
            if typo is None:
                self._known[start:end] = b"\x01" * (end - start)
            if end - start == 1:
                token = typo or query.tokens[start][:length]
                refused = capitals.refusal(name, token, query, start, length)
                if refused is not None:
                    self._miss(meaning.target, "R13", refused, name, start, end)
                    continue
            refused = self._not_of_speaker(meaning.source, start, end) if meaning.of_user else None
            if refused is not None:
                self._miss(meaning.target, "R3", refused, name, start, end)
                continue
            self.hits.append(Hit(ledger, meaning, meaning.target, start, end, typo is not None))
        return found

    def _meanings(self, ledger: Ledger, entries: list[Entry]) -> list[Meaning]:
        """What the entries of one run stand for, each of it once: the versions of a long
        history that end in the same belief by the same name are one."""
        if not entries:
            return []
        first = entries[0]
        key = (ledger.number, id(first[0]), first[1])
        meanings = self._resolved.get(key)
        if meanings is None:
            different: dict[tuple[object, ...], Meaning] = {}
            for version, number, joints in entries:
                target = ledger.resolver.target(version)
                name = name_text(version, number)
                aliases = len(version.aliases)
                meaning = Meaning(
                    name,
                    joints,
                    version,
                    target,
                    None if target is None else route_of(target),
                    alias=number not in (0, aliases + 1),
                    of_user=number > aliases,
                )
                same = (id(target or version), name, joints, meaning.alias, meaning.of_user)
                if target is version or same not in different:
                    different[same] = meaning
            meanings = self._resolved[key] = list(different.values())
        return meanings

    def _miss(self, belief: Belief, rule: str, why: str, name: str, start: int, end: int) -> None:
        self.misses.append(Miss(belief, rule, why, name, start, end))

    def _takes_plural(self, name: str, at: int, length: int) -> bool:
        """Three letters or more, or capitals with a lower-case s (VMs)."""
        if sum(map(str.isalpha, name)) >= 3:
            return True
        written = self.query.surface(at)
        return name.isupper() and written[:length].isupper() and written.endswith("s")

    def _not_of_speaker(self, version: Belief, start: int, end: int) -> str | None:
        """Why these tokens are not this attribute of the user's; None if they are."""
        if end - start > 1 and not all(map(spaceless, self.query.tokens[start:end])):
            return None
        if not speaks_of_self(self.query, start, end):
            return "one word, and the clause does not refer to the speaker"
        around = self._shipped().around(start, end)
        if around and not any(attribute_of(version) in one.attributes for one in around):
            return f"it stands inside {around[0].text!r}"
        return None

    def _shipped(self) -> Found:
        if self._phrases is None:
            self._phrases = Found(self.query)
        return self._phrases

    def _about_user(self, ledger: Ledger) -> None:
        query = self.query
        for start, end, phrase in self._shipped().outermost:
            meant = [
                meaning
                for attribute in phrase.attributes
                for meaning in self._of_attribute(ledger, attribute, phrase.text)
            ]
            if not meant or not (phrase.own or speaks_of_self(query, start, end, phrase.language)):
                continue
            for meaning in meant:
                if meaning.target is None:
                    self._miss(meaning.source, "R1", "", phrase.text, start, end)
                    continue
                self._known[start:end] = b"\x01" * (end - start)
                self.hits.append(Hit(ledger, meaning, meaning.target, start, end, False))

    @staticmethod
    def _of_attribute(ledger: Ledger, attribute: str, text: str) -> list[Meaning]:
        meanings: dict[int, Meaning] = {}
        for version in ledger.index.user_slots.get(attribute, {}).values():
            target = ledger.resolver.target(version)
            route = None if target is None else route_of(target)
            meaning = Meaning(text, None, version, target, route, alias=True, of_user=True)
            meanings.setdefault(id(target or version), meaning)
        return list(meanings.values())

    def _typos(self, ledger: Ledger) -> None:
        """Names with one misspelt token, tried for tokens that belong to no name.

        An ordinary word can only be misspelt inside a longer name (Rule R4b), so for those
        there must be a neighbour that occurs in names too, and one of more than a letter:
        the Portuguese "é mais" is no E-mail.
        """
        words, known, query = ledger.index.names.words, self._known, self.query
        for token, places in query.positions.items():
            if len(token) < 4:
                continue
            written = unsuffixed(token)
            if not forgives(written) or not (near := words.one_edit_from(written)):
                continue
            single = not self._is_a_word(written, places)
            for at in places:
                if known[at] or query.contracted(at):
                    continue
                if single or self._beside_a_name(words, at):
                    for word in near:
                        self._misspelt(ledger, at, written, word, single)

    def _is_a_word(self, token: str, places: Sequence[int]) -> bool:
        """Whether a token is a word of its own rather than a misspelt name (Rule R4b)."""
        if is_ordinary(token):
            return True
        return is_less_frequent(token) and all(self.query.surface(at).islower() for at in places)

    def _beside_a_name(self, words: Words, at: int) -> bool:
        tokens = self.query.tokens
        if at > 0 and tokens[at - 1] in words:
            return True
        if at + 1 == len(tokens):
            return False
        after = tokens[at + 1]
        return after in words or any(form in words for form, _ in shorter_forms(after))

    def _misspelt(self, ledger: Ledger, at: int, token: str, word: str, single: bool) -> None:
        """The names that the query has with ``token`` where they have ``word``."""
        names, tokens = ledger.index.names, self.query.tokens
        if single and (entries := names.get(word)) is not None:
            self._accept(ledger, entries, at, at + 1, len(token), typo=word)
        for start in range(max(0, at - names.longest + 1), at + 1):
            first = word if start == at else tokens[start]
            if first not in names.starts:
                continue
            for length in names.lengths(first):
                end = start + length
                others = tokens[start:at] + tokens[at + 1 : end]
                if at < end <= len(tokens) and (single or max(map(len, others), default=0) > 1):
                    self._misspelt_run(ledger, start, at, end, word)

    def _misspelt_run(self, ledger: Ledger, start: int, at: int, end: int, word: str) -> None:
        names, tokens = ledger.index.names, self.query.tokens
        head, last = [*tokens[start:at], word, *tokens[at + 1 : end]], tokens[end - 1]
        if (entries := names.get(" ".join(head))) is not None:
            self._accept(ledger, entries, start, end, typo=word)
        if at < end - 1:
            for form, plural in shorter_forms(last):
                if (entries := names.get(" ".join([*head[:-1], form]))) is not None:
                    self._accept(ledger, entries, start, end, len(form), plural, word)

    def refused_typos(self, ledgers: Sequence[Ledger]) -> None:
        """Add to the misses what Rule R4b kept from being a typo; only explaining needs it."""
        for ledger in ledgers:
            names = ledger.index.names
            for token, places in self.query.positions.items():
                if not forgives(token) or not self._is_a_word(token, places):
                    continue
                at = next((at for at in places if not self._known[at]), None)
                for word in names.words.one_edit_from(token) if at is not None else ():
                    why = f"{token!r} is a word of its own, no misspelt {word!r}"
                    for meaning in self._meanings(ledger, names.get(word) or []):
                        if meaning.target is not None and at is not None:
                            self._miss(meaning.target, "R4b", why, meaning.name, at, at + 1)


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
