"""Templates of the rule files: sentences with slots, compiled to patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from belief_memory.learning.languages import folded, languages, whole

_ARTICLE = re.compile(
    r"(?i)^(?:an?|the|ein|eine|einen|une?|una|el|la|le|les|los|las|der|die|das)\s+"
)
_QUOTES = "\"'“”„«»「」『』‘’"
_CLAUSE_WORD = re.compile(
    r"(?i)(?<!\w)(?:and|but|because|that|which|who|when|while|where|if|so|not|i|i'm|my|we|you|he|she"
    r"|it|it's|they|is|are|was|were|have|has|had|will|going|und|aber|weil|dass|et|mais|que|y|pero"
    r"|really|very|just|too|also|pretty|kind|sort|bit)(?!\w)"
)
_SMALL_IN_NAMES = frozenset(
    (
        "of",
        "the",
        "and",
        "&",
        "de",
        "la",
        "le",
        "du",
        "des",
        "del",
        "di",
        "da",
        "do",
        "dos",
        "das",
        "von",
        "van",
        "der",
        "den",
        "y",
        "e",
        "et",
        "und",
        "for",
        "in",
        "on",
        "at",
        "to",
        "a",
    )
)
_NOT_A_THING = re.compile(
    r"(?i)(?<!\w)(?:is|are|was|of|in|on|at|to|for|from|with|the|a|an|and|or|than|that|i|you|it|not"
    r"|been|be|has|had|as|by)(?!\w)"
)
NOISE = "\x1e"


def is_name(text: str) -> bool:
    """Whether ``text`` is written like a proper name, a number, or something quoted."""
    if len(text) > 2 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return True
    words = _ARTICLE.sub("", text).split()
    if not words or len(words) > 9:
        return False
    for at, word in enumerate(words):
        marked = any(c.isupper() or c.isdigit() or _uncased(c) for c in word)
        if marked and folded(word.strip(",")) not in ("i", "i'm", "i've", "i'd", "i'll"):
            continue
        if marked or at in (0, len(words) - 1) or folded(word) not in _SMALL_IN_NAMES:
            return False
    return not re.search(r",\s*(?![A-Z0-9])|[;:!?]\s", text)


def is_noun(text: str) -> bool:
    """Whether ``text`` is a few words without a clause in them."""
    return (
        0 < len(text.split()) <= 5
        and _CLAUSE_WORD.search(text) is None
        and not re.search(r"[,;:!?]", text)
    )


def is_thing(text: str) -> bool:
    """Whether ``text`` names a thing: one to three words without small ones among them."""
    return (
        0 < len(text.split()) <= 3
        and _NOT_A_THING.search(text) is None
        and re.fullmatch(r"[^\W\d_][\w' -]*", text) is not None
    )


def _uncased(char: str) -> bool:
    return char.isalpha() and char.lower() == char.upper()


def _is_title(text: str) -> bool:
    return is_name(text) and _ARTICLE.match(text) is None and text[0] not in _QUOTES


def _anything(text: str) -> bool:
    return len(text.split()) <= 20


_KINDS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "name": (r".+?", is_name),
    "title": (r".+?", _is_title),
    "noun": (r".+?", is_noun),
    "thing": (r"[^,;:]+?", is_thing),
    "kind": (r"[^,;:]+?", lambda text: is_thing(text) and text.islower()),
    "word": (r"[^\W\d_][\w-]*", str.islower),
    "prep": (r"(?:in|by|to|with|for|of|from|at|on|as|into|after|under)", str.islower),
    "any": (r".+?", _anything),
}


@dataclass(frozen=True)
class Template:
    """One template: its pattern, and what each slot's text must look like."""

    pattern: re.Pattern[str]
    checks: dict[str, Callable[[str], bool]]

    def match(self, text: str) -> dict[str, str] | None:
        """The slots' texts where all of ``text`` is said like this."""
        found = self.pattern.fullmatch(text)
        if found is None:
            return None
        slots = {name: value.strip() for name, value in found.groupdict().items() if value}
        for name, value in slots.items():
            if NOISE in value or not self.checks[name](value):
                return None
        return slots


def compile_template(source: str) -> Template:
    """The template that ``source`` writes down; raises ValueError for a bad one."""
    checks: dict[str, Callable[[str], bool]] = {}
    body = _compile(source.strip(), checks)
    return Template(re.compile(body, re.IGNORECASE), checks)


def _compile(source: str, checks: dict[str, Callable[[str], bool]]) -> str:
    out: list[str] = []
    at = 0
    while at < len(source):
        char = source[at]
        if char in "[(":
            close = _closing(source, at)
            choice = "|".join(_compile(one, checks) for one in source[at + 1 : close].split("|"))
            free = at == 0 or source[at - 1] == " "
            if char == "(":
                out.append(f"(?:{choice})")
            elif free and source[close + 1 : close + 2] == " ":
                out.append(rf"(?:(?:{choice})\s+)?")
                close += 1
            elif free and out:
                out[-1] = ""
                out.append(rf"(?:\s+(?:{choice}))?")
            else:
                out.append(f"(?:{choice})?")
            at = close + 1
        elif char == "{":
            close = source.index("}", at)
            name, _, kind = source[at + 1 : close].partition(":")
            pattern, check = _KINDS[kind or "any"]
            if name in checks:
                raise ValueError(f"slot {name!r} is there twice in {source!r}")
            checks[name] = check
            out.append(f"(?P<{name}>{pattern})")
            at = close + 1
        elif char == " ":
            out.append(r"\s+")
            at += 1
        else:
            out.append(re.escape(char))
            at += 1
    return "".join(out)


def _closing(source: str, at: int) -> int:
    pair = {"[": "]", "(": ")"}[source[at]]
    depth = 0
    for index in range(at, len(source)):
        depth += (source[index] == source[at]) - (source[index] == pair)
        if not depth:
            return index
    raise ValueError(f"{source!r}: {source[at]} without {pair}")


def one_of(value: str, words: tuple[str, ...]) -> bool:
    """Whether ``value`` is one of a rule's ``only`` or ``unless`` words."""
    plain = folded(_ARTICLE.sub("", value))
    for word in words:
        if word.startswith("/"):
            if re.search(word.strip("/"), plain if "(?i" not in word else value):
                return True
        elif word == "@ordinary":
            if _ordinary(value):
                return True
        elif word.startswith("@"):
            if _listed(word[1:]).fullmatch(plain):
                return True
        elif folded(word) == plain:
            return True
    return False


def _ordinary(text: str) -> bool:
    """Whether a text is one word that is frequent in lower case, too: at the start of a
    sentence its capital is no sign of a name."""
    if not text[1:].islower() or not text.isalpha():
        return False
    from wordfreq import zipf_frequency

    return bool(zipf_frequency(text.lower(), "en", wordlist="small") >= 3.0)


def _listed(kind: str) -> re.Pattern[str]:
    kinds = ("people",) if kind == "people" else ("me", "others", "question", "function")
    words = [word for lang in languages() for each in kinds for word in lang.words(each)]
    return re.compile(whole(words))


def singular(text: str) -> str:
    """The singular of an English noun, as far as its ending tells."""
    head, _, word = text.rpartition(" ")
    if re.search(r"(?:ss|us|is|'s)$", word) or len(word) < 4:
        return text
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif re.search(r"(?:ches|shes|xes|sses|zes)$", word):
        word = word[:-2]
    elif word.endswith("s"):
        word = word[:-1]
    return f"{head} {word}".strip()
