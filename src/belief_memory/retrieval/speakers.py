"""Whether a clause refers to its speaker, and in which language (Rule R3).

Subjects and possessives count (I, my, our), objects do not: "send me the phone number" asks
for anybody's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from belief_memory.retrieval.languages import language_votes
from belief_memory.retrieval.query import Query
from belief_memory.text.normal import fold
from belief_memory.text.tokens import spaceless

SPEAKERS: Final = {
    "en": "i my mine myself our ours we",
    "de": "ich mein meine meinen meinem meiner meines wir unser unsere unseren"
    " unserem unserer unseres",
    "fr": "je j mon ma mes nous notre nos",
    "es": "yo mi mis mío mía nuestro nuestra nuestros nuestras",
    "it": "io mio mia miei mie noi nostro nostra",
    "pt": "eu meu minha meus minhas nosso nossa",
    "nl": "ik mijn mij wij we ons onze",
    "pl": "ja mój moja moje mojego mojej moim moją moi moich nasz nasza nasze mam",
    "tr": "ben benim bende biz bizim",
    "sv": "jag min mitt mina vår vårt",
    "ru": "я мой моя моё мои моего моей моему моём мою моим моих меня мы наш наша наше нас",
    "uk": "я мій моя моє мої моєї моєму моїй мого мою моїх мене ми наш наша наше нас",
    "el": "εγώ μου μας εμείς",
    "he": "אני שלי שלנו אנחנו לי לנו",
    "ja": "私 僕 俺 わたし ぼく 自分 うちの うちは 我が",
    "zh": "我 咱 俺",
    "ko": "나 나는 나도 나의 나만 내 내가 저 저는 저도 저의 저만 제 제가 우리 우리가 우리는 우리의"
    " 우리도 저희 저희가 저희는 저희의",
    "ar": "أنا لي عندي لدي",
    "hi": "मैं मैंने मेरा मेरी मेरे मुझे हम हमारा हमारी हमारे",
    "th": "ผม ฉัน ดิฉัน เรา",
    "id": "saya aku kami",
}
"""Words by which a clause refers to its speaker."""

_NAMES = frozenset(("ben", "mia", "mina", "min", "eu", "io", "biz", "ons", "bende"))
"""Speakers that are names or words where nothing else speaks their language."""

_SHARED = frozenset(
    ("i", "we", "ma", "mi", "mes", "ja", "j", "mon", "mam", "moi", "mie", "nas", "noi", "nos")
)
"""Speakers that are other words in a clause which speaks another language."""

_COMPOUNDS = re.compile(
    "私[立鉄的物費服道大学]|私生活|公私|[公下]僕|のうち|わたし[たて]|自我|[ตทส][ัำร]*[ดะ]?ผม|ทรงผม|เส้นผม"
    "|ผมร่วง|ผมยาว|ผมสั้น"
)
"""What has the letters of a speaker but means something else: ตัดผม is a haircut."""

_FOLLOWING = """
the of is am are was were did does do have has had been be will would could should can may might
must where what when who why how this that these those with without from for and but or if not
at on in to by as about after before since until while because during under over into than then
so too again yet now today tomorrow yesterday tonight ago once still already soon ever never
always here there anymore away back down off out up last next right please thanks a an my your
his her their our i we you he she they it s
said says told tells called calls asked asks wants needs thinks knows went goes came comes left got
gets made makes took takes gave gives broke died rang works worked stopped started moved changed
"""
_AFTER = frozenset(_FOLLOWING.split())
"""What may follow a noun that is not the first part of a compound, in English."""

_MINE = frozenset(("my", "our"))
_HYPHENS = frozenset("-_\u2010\u2011")


@lru_cache(maxsize=1)
def _speakers() -> tuple[dict[str, list[str]], dict[str, tuple[str, ...]]]:
    """The languages a word speaks for; and per language texts of scripts without spaces."""
    words: dict[str, list[str]] = {}
    dense: dict[str, tuple[str, ...]] = {}
    for language, listed in SPEAKERS.items():
        for word in fold(listed)[0].split():
            if not spaceless(word[0]):
                words.setdefault(word, []).append(language)
            else:
                dense[language] = (*dense.get(language, ()), word)
    return words, dense


def speaks_of_self(query: Query, start: int, end: int, language: str | None = None) -> bool:
    """Whether the clause around these tokens refers to the speaker, and what they name is
    not marked as somebody else's ("my sister's birthday") or part of a compound.

    ``language`` limits the words to one language's; any by default.
    """
    if _belongs_to_another(query, start) or _hyphenated(query, start, end):
        return False
    first, last = query.clause(start)
    spoken = query.speakers.get(first)
    if spoken is None:
        spoken = query.speakers[first] = _spoken(query, first, last)
    if language is not None and language not in spoken:
        return False
    if (language or next(iter(spoken), None)) != "en" or (language is None and len(spoken) > 1):
        return bool(spoken)
    return (
        end >= last
        or not _MINE.isdisjoint(query.tokens[max(first, start - 2) : start])
        or query.tokens[end] in _AFTER
    )


def _belongs_to_another(query: Query, at: int) -> bool:
    if not at:
        return False
    before = query.tokens[at - 1]
    return before.endswith("'s") or (before[-1] == "s" and query.gap(at - 1).startswith("'"))


def _hyphenated(query: Query, start: int, end: int) -> bool:
    return (start > 0 and query.gap(start - 1) in _HYPHENS) or (
        end < len(query) and query.gap(end - 1) in _HYPHENS
    )


def _spoken(query: Query, first: int, last: int) -> frozenset[str]:
    """The languages in which the clause refers to its speaker."""
    tokens = query.tokens[first:last]
    words, dense = _speakers()
    spoken: set[str] = set()
    doubtful: set[tuple[str, str]] = set()
    for token in tokens:
        for language in words.get(token, ()):
            if token in _NAMES or token in _SHARED:
                doubtful.add((token, language))
            else:
                spoken.add(language)
    if doubtful:
        spoken |= _undoubted(query, first, last, doubtful)
    if any(map(spaceless, tokens)):
        text = _COMPOUNDS.sub(" ", "".join(tokens))
        spoken |= {one for one, texts in dense.items() if any(word in text for word in texts)}
    return frozenset(spoken)


def _undoubted(query: Query, first: int, last: int, doubtful: set[tuple[str, str]]) -> set[str]:
    """Of the speakers that may be other words, those whose language the clause speaks."""
    votes = language_votes(
        query.tokens[at]
        for at in range(first, last)
        if query.tokens[at] != "i" or query.surface(at) != "I"
    )
    most = max(votes.values(), default=0)
    return {
        language
        for token, language in doubtful
        if votes.get(language, 0) >= (max(most, 1) if token in _NAMES else most)
    }
