"""Which language a text in Latin letters is written in, by its most frequent words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_WORDS: Final = {
    "en": "the of is am are was were did does do have has had been will would could should can"
    " where what when who why how this that these with from for and but or if not his her he she"
    " they need want about at on in to an it my",
    "de": "der die das ist und nicht ein eine einen einem einer den dem des im in an auf mit von"
    " zu fur sind war hat habe haben wird wie was wo wann wer dass es er sie bei aus nach noch",
    "fr": "le la les un une des du de et est que qui quel quelle ou pour pas dans sur avec ce"
    " cette qu en au aux son sa ses il elle on",
    "es": "el la los las un una de del que es en y por para con no se cual donde cuando como este"
    " esta hay su sus lo al",
    "it": "i il lo la gli le un una di del della dei delle che non per con sono ho ha dal nel si"
    " al alla da dove quando come qual quale",
    "pt": "os as um uma de do da dos das que em nao para com no na por se qual onde quando",
    "nl": "de het een van is en niet in op voor met dat die wie wat waar hoe aan naar bij",
    "pl": "i w z na nie sie ze jest to po za od do co jak gdzie kiedy czy dla ile",
    "tr": "bir ve bu ne da de icin mu var yok nerede nasil kim cok daha ile gibi kac",
    "sv": "i och att det en ett pa som for med av den till vad var nar hur inte har",
}
"""Frequent words, folded."""


@lru_cache(maxsize=1)
def _languages() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, words in _WORDS.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), language)
    return found


def language_votes(tokens: Iterable[str]) -> dict[str, int]:
    """How many of the folded tokens are frequent words of each language."""
    languages = _languages()
    votes: dict[str, int] = {}
    for token in tokens:
        for language in languages.get(token, ()):
            votes[language] = votes.get(language, 0) + 1
    return votes


def likely_languages(tokens: Iterable[str]) -> frozenset[str]:
    """The languages that most of the frequent words are of; none for fewer than two."""
    votes = language_votes(tokens)
    most = max(votes.values(), default=0)
    return frozenset(one for one, count in votes.items() if count == most > 1)
