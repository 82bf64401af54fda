"""Who a clause is about: the speaker, or somebody else."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from belief_memory.learning.languages import Language, folded, language_of, spotter, whole
from belief_memory.learning.sentences import WORD, clauses

Speaker = Literal["self", "other", "unknown"]

_NAMED = re.compile(r"^\W*([A-ZÀ-ÖØ-ÞА-ЯЁ][\w'’-]*)\s+([A-ZÀ-ÖØ-ÞА-ЯЁ])?")


def owned_subject(clause: str) -> tuple[str, str, Language] | None:
    """What a clause is about that only belongs to the speaker ("my office", "our intern"):
    the possessive, the words behind it, and their language; None where the speaker is the
    subject."""
    plain = folded(clause)
    language = language_of(plain)
    if language is None or language.spaceless:
        return None
    first = spotter("possessive", language.code).search(plain)
    if first is None or first.start() > 12:
        return None
    owners = set(language.words("possessive"))
    others = [m for m in spotter("me", language.code).finditer(plain) if m[0] not in owners]
    if others:
        return None
    return first[0], " ".join(WORD.findall(plain[first.end() :])[:3]), language


def named_by(subject: str, language: Language) -> str:
    """Of the words behind a possessive, those that name the thing: up to the verb, and only
    the owner of what is owned in turn ("my godmother's phone" is the godmother's)."""
    owner = re.search(r"['’]s(?=\s)", subject)
    if owner is not None:
        return subject[: owner.start()]
    verb = spotter("copula", language.code).search(subject)
    return subject if verb is None else subject[: verb.start()]


def owner_behind(clause: str) -> str | None:
    """ "The boss of my husband", "der Chef meines Mannes": the person whose something a
    clause is about that begins with an article."""
    plain = folded(clause)
    language = language_of(plain)
    first = WORD.search(plain)
    if language is None or first is None or first[0] not in language.words("articles"):
        return None
    people = whole(language.words("people")) or r"(?!)"
    found = re.search(rf"{spotter('possessive', language.code).pattern}\s+({people})", plain)
    return None if found is None else found[1]


def dense_subject(clause: str) -> str | None:
    """What belongs to the speaker, at the start of a clause without spaces ("我们的屠夫…")."""
    plain = folded(clause).strip()
    language = language_of(plain)
    if language is None or not language.spaceless:
        return None
    owner = spotter("possessive", language.code).match(plain)
    return None if owner is None else plain[owner.end() : owner.end() + 3]


def marked_topic(clause: str) -> str | None:
    """What a clause is marked to be about ("花屋は", "사장님은"), unless the speaker is."""
    plain = folded(clause).strip()
    language = language_of(plain)
    if language is None or not language.topic:
        return None
    found = re.match(language.topic, plain)
    if found is None or spotter("me", language.code).search(plain) is not None:
        return None
    return found[1]


def speaker(sentence: str, at: int, names: Collection[str] = ()) -> Speaker:
    """Whom the clause around offset ``at`` is about: the speaker, or somebody else.

    A clause without a subject of its own goes on about that of the clause before.

    Args:
        names: folded names of people known by name.
    """
    notes = spotter("noting").search(folded(sentence))
    if notes is not None and notes.end() <= at:
        sentence, at = sentence[notes.end() :], at - notes.end()
    if told_by_another(sentence, at):
        return "other"
    before = [(start, text) for start, text in clauses(sentence) if start <= at]
    for start, clause in reversed(before):
        found = _subject(_up_to_relative(clause, at - start), names, begins=start == 0)
        if found != "unknown":
            return found
    return "unknown"


def _is_role(plain: str, person: re.Match[str], code: str | None) -> bool:
    """ "As a student I lived in Gent": what somebody is, not somebody."""
    before = plain[: person.start()].rstrip()
    return any(match.end() == len(before) for match in spotter("as", code).finditer(before))


def told_by_another(sentence: str, at: int) -> bool:
    """Whether what stands at ``at`` is only reported: "the client writes, I live in Kiel",
    "according to the form, I live in Kiel", "she goes: I live in Kiel"."""
    for start, clause in clauses(sentence):
        end = start + len(clause)
        if end > at:
            return False
        heads = sentence[end : end + 2].lstrip()[:1] in (":", "：")
        plain = folded(clause)
        language = language_of(plain)
        code = None if language is None else language.code
        if spotter("as", code).match(plain):
            continue  # "as you asked"
        if heads and is_anothers(clause):
            return True
        for match in spotter("reported", code).finditer(plain):
            attributes = start == 0 and not plain[: match.start()].strip()
            closes = len(WORD.findall(plain[match.end() :])) < 2
            if (attributes or closes) and not _own_word(plain[: match.start()], code):
                return True
    return False


def is_anothers(clause: str) -> bool:
    """Whether a clause names somebody who is neither the speaker nor the one addressed, or
    says that somebody speaks, and the speaker is not its subject."""
    plain = folded(clause)
    language = language_of(plain)
    code = None if language is None else language.code
    addressed = set() if language is None else set(language.words("addressee"))
    found = [
        match.start()
        for kind in ("people", "others", "reported")
        for match in spotter(kind, code).finditer(plain)
        if match[0] not in addressed
    ]
    return bool(found) and not _own_word(plain[: max(found)], code)


def _own_word(plain: str, code: str | None) -> bool:
    """Whether the speaker is named other than as an owner ("my CV says" is the CV's word)."""
    owners = {match.span() for match in spotter("possessive", code).finditer(plain)}
    return any(match.span() not in owners for match in spotter("me", code).finditer(plain))


def _up_to_relative(clause: str, at: int) -> str:
    """ "We have a trainee who lives in Kiel": what stands behind "who" is about the trainee,
    not about us."""
    plain = folded(clause)
    language = language_of(plain)
    if language is None:
        return clause
    found = [m for m in spotter("relative", language.code).finditer(plain) if m.start() < at]
    return clause[found[-1].start() :] if found and len(plain) == len(clause) else clause


def _subject(clause: str, names: Collection[str], *, begins: bool) -> Speaker:
    plain = folded(clause)
    language = language_of(plain)
    code = None if language is None else language.code
    people = [
        m.start() for m in spotter("people", code).finditer(plain) if not _is_role(plain, m, code)
    ]
    dense = language is not None and language.spaceless
    possessed = {
        m.end() for m in spotter("me", code).finditer(plain) if dense and m.end() in people
    }
    possessed |= {
        m.end()
        for m in spotter("possessive", code).finditer(plain)
        if any(
            0 <= start - m.end() <= 16 and " " not in plain[m.end() : start].strip()
            for start in people
        )
    }
    mine = [m for m in spotter("me", code).finditer(plain) if m.end() not in possessed]
    reports = [m.start() for m in spotter("reported", code).finditer(plain)]
    if reports and not _own_word(plain[: reports[0]], code):
        mine = [m for m in mine if m.start() > reports[0]]
    theirs = [
        *people,
        *reports,
        *(m.start() for m in spotter("others", code).finditer(plain)),
        *(m.start() for m in spotter("relative", code).finditer(plain) if not m.start()),
    ]
    theirs += [
        plain.find(name)
        for name in names
        if name in plain and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plain)
    ]
    if dense and reports and not any(not m.start() for m in mine):
        mine = []  # "the caretaker says that I live upstairs": the verb that says it is last
    owners = set() if language is None else set(language.words("possessive"))
    owned = mine and len(WORD.findall(plain[: mine[0].start()])) > 1
    if begins and owned and _starts_with_article(plain, language):
        # "The conductor of our orchestra" is the conductor; "il mio numero" is mine.
        mine = [m for m in mine if m[0] not in owners]
    first_mine = min((m.start() for m in mine), default=None)
    first_theirs = min(theirs, default=None)
    if first_mine is not None and (first_theirs is None or first_mine <= first_theirs):
        return "self"
    if first_theirs is not None:
        return "other"
    if begins and _starts_with_article(plain, language):
        # "The new hire lives in Cork"; further on, an article may begin an apposition.
        return "other"
    return "other" if _about_a_name(clause, plain) else "unknown"


def _starts_with_article(plain: str, language: Language | None) -> bool:
    if language is None or language.spaceless or len(plain.split()) < 3:
        return False
    first = WORD.search(plain)
    return first is not None and first[0] in language.words("articles")


def _about_a_name(clause: str, plain: str) -> bool:
    """ "Tom lives in Oslo": begins with a name, in a language whose verbs need a subject."""
    match = _NAMED.match(clause)
    if match is None:
        return False
    if match[2]:
        return True
    language = language_of(plain)
    if language is None or language.drops_subject:
        return False
    small = {
        word for kind in ("function", "me", "question", "negation") for word in language.words(kind)
    }
    return folded(match[1]) not in small and len(WORD.findall(clause)) > 2
