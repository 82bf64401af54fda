"""Names by their normalised token run, and words by what a typo leaves alone."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import OSA

from belief_memory.model.belief import Belief
from belief_memory.retrieval.ordinary import script

Entry = tuple[Belief, int, tuple[str, ...] | None]
"""A version, which of its names (0 canonical, then aliases, then attribute and its
aliases), and the name's joints where they are not the default."""

_Bag = Entry | list[Entry] | dict[str, Entry]
"""One entry as it is (most names), a few in a list, many by version and name."""

_MANY = 16


class Runs:
    """The postings: which entries a run of tokens names."""

    __slots__ = ("_bags", "longest", "starts", "words")

    def __init__(self) -> None:
        self._bags: dict[str, _Bag] = {}
        self.starts: dict[str, list[int]] = {}
        """Per first token of longer names, how many names have 2, 3 … tokens."""
        self.longest = 1
        self.words = Words()

    def __contains__(self, run: str) -> bool:
        return run in self._bags

    def get(self, run: str) -> list[Entry] | None:
        """The entries that this run of tokens names."""
        bag = self._bags.get(run)
        if bag is None:
            return None
        if isinstance(bag, tuple):
            return [bag]
        return bag if isinstance(bag, list) else list(bag.values())

    def lengths(self, first: str) -> Iterator[int]:
        """How many tokens the longer names have that begin with this token."""
        for at, count in enumerate(self.starts.get(first, ())):
            if count:
                yield at + 2

    def add(self, run: str, entry: Entry) -> None:
        bag = self._bags.get(run)
        if bag is None:
            self._bags[run] = entry
            self._count(run, 1)
        elif isinstance(bag, tuple):
            self._bags[run] = [bag, entry]
        elif isinstance(bag, list):
            bag.append(entry)
            if len(bag) > _MANY:
                self._bags[run] = {_name_of(one): one for one in bag}
        else:
            bag[_name_of(entry)] = entry

    def discard(self, run: str, version: Belief, name: int) -> None:
        """Remove the entry of this version and name."""
        bag = self._bags.get(run)
        wanted = _name_of((version, name, None))
        if isinstance(bag, dict):
            bag.pop(wanted, None)
        elif isinstance(bag, list):
            bag[:] = [entry for entry in bag if _name_of(entry) != wanted]
        elif bag is not None and _name_of(bag) == wanted:
            bag = []
        if bag is not None and not bag:
            del self._bags[run]
            self._count(run, -1)

    def _count(self, run: str, step: int) -> None:
        tokens = run.split(" ")
        size = len(tokens)
        if size > 1:
            counts = self.starts.setdefault(tokens[0], [])
            if len(counts) < size - 1:
                counts.extend([0] * (size - 1 - len(counts)))
            counts[size - 2] += step
            if step < 0 and not any(counts):
                del self.starts[tokens[0]]
            self.longest = max(self.longest, size)
        for token in tokens:
            self.words.count(token, step)


class Words:
    """The words of all names in which a typo is forgiven, by first letters and length."""

    __slots__ = ("_buckets", "_counts")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._buckets: dict[str, list[str]] = {}

    def count(self, token: str, step: int) -> None:
        """One more (or one less) name has this token."""
        if not forgives(token):
            return
        count = self._counts.get(token, 0) + step
        bucket = _bucket(token, 0)
        if count == step and step > 0:
            self._buckets.setdefault(bucket, []).append(token)
        if count:
            self._counts[token] = count
            return
        del self._counts[token]
        words = self._buckets[bucket]
        words.remove(token)
        if not words:
            del self._buckets[bucket]

    def one_edit_from(self, token: str) -> list[str]:
        """The words that differ from ``token`` by exactly one edit after the first two
        letters (Rule R4), in a stable order."""
        found = [
            word
            for more in (-1, 0, 1)
            for word in self._buckets.get(_bucket(token, more), ())
            if OSA.distance(word, token, score_cutoff=1) == 1
        ]
        return sorted(found) if len(found) > 1 else found


def forgives(token: str) -> bool:
    """Whether a typo may be forgiven in this token: four letters or more, no digit, in
    an alphabetic script."""
    return len(token) > 3 and token.isalpha() and script(token) is not None


def _bucket(token: str, more: int) -> str:
    return token[:2] + chr(len(token) + more)


def _name_of(entry: Entry) -> str:
    return f"{entry[0].version_id}#{entry[1]}"
