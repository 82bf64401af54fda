"""Names by their normalised token run, and words by what a typo leaves alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from rapidfuzz.distance import OSA

from belief_memory.model.belief import Belief
from belief_memory.retrieval.ordinary import script

Entry = tuple[Belief, int, tuple[str, ...] | None]
"""A version, which of its names (0 canonical, then aliases, then attribute and its
aliases), and the name's joints where they are not the default."""

_Bag = Entry | list[Entry] | dict[str, Entry]
"""One entry as it is (most names), a few in a list, many by version and name."""

_MANY = 16

_LONG_SEARCH = 16
"""Words compared from which an answer is worth remembering."""

_REMEMBERED = 4096

_NONE: Mapping[str, tuple[str, ...]] = {}


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
    """The words of all names in which a typo is forgiven, by what one edit leaves alone.

    After the first two letters, which must be right, one edit leaves either the first or
    the second half of a word intact (or swaps the letters at the middle). So a word lies
    in two small buckets. Their keys are hashes: what they find is compared anyway.
    """

    __slots__ = ("_buckets", "_counts", "_lengths", "_near", "_remembered")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        """Per first two letters, which lengths have been seen (a bit each): most words of
        a query need no further look. Bits stay when words go; that only costs time."""
        self._near: dict[str, dict[str, tuple[str, ...]]] = {}
        """Answers of :meth:`one_edit_from` that took long, by first two letters: people
        repeat themselves, and only words with the same two letters can change an answer."""
        self._remembered = 0
        self._buckets: dict[int, str | list[str]] = {}

    def __contains__(self, token: str) -> bool:
        """Whether any name has this token."""
        return token in self._counts

    def count(self, token: str, step: int) -> None:
        """One more (or one less) name has this token."""
        count = self._counts.get(token, 0) + step
        if count:
            self._counts[token] = count
        else:
            del self._counts[token]
        if not forgives(token):
            return
        self._near.pop(token[:2], None)
        if count == 1 and step > 0:
            self._lengths[token[:2]] = self._lengths.get(token[:2], 0) | 1 << len(token)
            for key in _halves(token, len(token)):
                self._put(key, token)
        elif not count:
            for key in _halves(token, len(token)):
                self._drop(key, token)

    def one_edit_from(self, token: str) -> tuple[str, ...]:
        """The words that differ from ``token`` by exactly one edit after the first two
        letters (Rule R4), in a stable order."""
        head = token[:2]
        near = self._lengths.get(head, 0) >> (len(token) - 1) & 7
        if not near:
            return ()
        if self._near and (found := self._near.get(head, _NONE).get(token)) is not None:
            return found
        found, looked_at = self._search(token, near)
        if looked_at > _LONG_SEARCH:
            if self._remembered >= _REMEMBERED:
                self._near.clear()
                self._remembered = 0
            self._near.setdefault(head, {})[token] = found
            self._remembered += 1
        return found

    def _search(self, token: str, near: int) -> tuple[tuple[str, ...], int]:
        """The words one edit away, and how many words were compared."""
        found: set[str] = set()
        looked_at = 0
        get = self._buckets.get
        keys, swapped = _places(token)
        for bit, length, first, second in keys:
            if not near & bit:
                continue
            for key in (first, second):
                bucket = get(key)
                if bucket is None:
                    continue
                for word in (bucket,) if isinstance(bucket, str) else bucket:
                    looked_at += 1
                    if len(word) == length and OSA.distance(word, token, score_cutoff=1) == 1:
                        found.add(word)
        if swapped in self._counts:
            found.add(swapped)
        if not found:
            return (), looked_at
        return tuple(word for word in sorted(found) if word[:2] == token[:2]), looked_at

    def _put(self, key: int, token: str) -> None:
        bucket = self._buckets.get(key)
        if bucket is None:
            self._buckets[key] = token
        elif isinstance(bucket, str):
            self._buckets[key] = [bucket, token]
        else:
            bucket.append(token)

    def _drop(self, key: int, token: str) -> None:
        bucket = self._buckets[key]
        if isinstance(bucket, list):
            bucket.remove(token)
        if bucket == token or not bucket:
            del self._buckets[key]


def forgives(token: str) -> bool:
    """Whether a typo may be forgiven in this token: four letters or more, no digit, in
    an alphabetic script."""
    return len(token) > 3 and token.isalpha() and (token.isascii() or script(token) is not None)


@lru_cache(maxsize=8192)
def _places(token: str) -> tuple[tuple[tuple[int, int, int, int], ...], str]:
    """Where words one edit away from a token would lie: a bit, their length and two buckets
    for each length; and the token with the letters at its middle swapped. The same for every
    user's words, and people share most of theirs."""
    size = len(token)
    middle = size // 2
    swapped = f"{token[:middle]}{token[middle + 1 : middle - 1 : -1]}{token[middle + 2 :]}"
    keys = tuple(
        (1 << more, size - 1 + more, *_halves(token, size - 1 + more)) for more in range(3)
    )
    return keys, swapped if swapped != token else ""


def _halves(token: str, length: int) -> tuple[int, int]:
    """The buckets in which ``token`` would meet words of ``length`` letters: by the head
    that they share, and by the first two letters and the tail."""
    middle = 1 + length // 2
    size = chr(length)
    return hash(size + token[:middle]), hash(token[:2] + token[middle - length :] + size)


def _name_of(entry: Entry) -> str:
    return f"{entry[0].version_id}#{entry[1]}"
