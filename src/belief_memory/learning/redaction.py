"""Secrets, taken out before anything is stored or sent to an extractor.

Found by detect-secrets (its vendors' formats and its assignments) and python-stdnum (the
check digit of card numbers), and by three kinds of ours that people type in conversation
and a scanner of source code does not look for: newer vendors' prefixes, passwords told in
a sentence, and long random words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

Span = tuple[int, int, str]

_CARD = re.compile(r"(?<![\w.+-])(?:\d[ -]?){12,18}\d(?![\w-])")
_ISSUERS = re.compile(
    r"4\d{15}(?:\d{3})?|5[0-8]\d{14}|2[2-7]\d{14}|3[47]\d{13}|35\d{14}|3[0689]\d{12}|6\d{15,18}"
)
"""The prefixes and lengths with which payment cards are issued (ISO/IEC 7812)."""

_OURS = (
    (
        re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*-----|\Z)",
            re.DOTALL,
        ),
        "private key",
    ),
    (re.compile(r"(?i:\b(?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{16,})"), "token"),
    (
        re.compile(
            r"(?<![\w-])(?:(?:sk|pk|rk|ak)-(?:[a-z0-9]+-)*[A-Za-z0-9_]{16,}[\w-]*|AIza[\w-]{30,}"
            r"|gl[a-z]{1,4}-[\w-]{16,}|github_pat_\w{20,}|hf_[A-Za-z0-9]{16,}|pypi-[\w-]{20,}"
            r"|ya29\.[\w-]{20,}|xapp-[\w-]{20,}|dop_v1_\w{20,}|\d{8,10}:AA[\w-]{30,})"
        ),
        "access key",
    ),
    (re.compile(r"://[^\s/:@]*:([^\s/@]{3,})@"), "password"),
    (
        re.compile(
            r"(?i:(?<!\w)(?:password|passwd|passphrase|passcode|pass ?word|pin(?: code)?"
            r"|api[ _-]?key|access[ _-]?key|secret[ _-]?key|client[ _-]?secret"
            r"|auth(?:entication)?[ _-]?token|access[ _-]?token"
            r"|passwort|kennwort|mot de passe|contraseña|clave secreta|senha"
            r"|parola(?: d'ordine)?|wachtwoord|hasło|пароль|パスワード|暗証番号|密码|密碼|비밀번호)"
            r"(?: \w+){0,3}?\s*"
            r"(?:[:=：]|\bis\b|\bwas\b|\bist\b|\best\b|\bes\b|\bè\b|\bé\b|は|是|—|-)"
            r"\s*[\"'`«「“]?)((?=\S*[\d_!@#$%^&*?+])[^\s\"'`»」”]{4,})"
        ),
        "password",
    ),
)
_RANDOM = re.compile(r"(?<![\w/.+=-])[A-Za-z0-9_+/=-]{24,}(?![\w/.-])")
_ENTROPY = 3.9
"""Bits per character from which a long mix of cases and digits is not a word."""

_IGNORED = {
    # They guess by entropy, or see no more than a header line.
    "Base64HighEntropyString",
    "HexHighEntropyString",
    "PrivateKeyDetector",
    "IPPublicDetector",
}


def redact(text: str) -> tuple[str, int]:
    """``text`` with each secret replaced by ``[redacted: kind]``, and how many there were."""
    found = [
        (*match.span(match.lastindex or 0), kind)
        for pattern, kind in _OURS
        for match in pattern.finditer(text)
    ]
    found += [(*match.span(), "card number") for match in _CARD.finditer(text) if _card(match[0])]
    found += [(*match.span(), "token") for match in _RANDOM.finditer(text) if _random(match[0])]
    found += _scanned(text)
    return _replaced(text, sorted(found, key=lambda span: (span[0], -span[1])))


def _card(match: str) -> bool:
    from stdnum import luhn

    digits = re.sub(r"\D", "", match)
    return luhn.is_valid(digits) and bool(_ISSUERS.fullmatch(digits)) and len(set(digits)) > 1


def _random(word: str) -> bool:
    kinds = (str.islower, str.isupper, str.isdigit)
    if not all(sum(map(kind, word)) > 1 for kind in kinds):
        return False
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString

    return bool(Base64HighEntropyString().calculate_shannon_entropy(word) >= _ENTROPY)


def _scanned(text: str) -> Iterator[Span]:
    formats, assignments = _detectors()
    for pattern, kind in formats:
        for match in pattern.finditer(text):
            group = max(range(len(match.groups()) + 1), key=lambda g: (len(match[g] or "") > 7, g))
            yield (*match.span(group), kind)
    at = 0
    for line in text.splitlines(keepends=True):
        for secret in assignments.analyze_line(filename="", line=line, line_number=1):
            value = secret.secret_value or ""
            start = line.find(value)
            # A sentence about "the secret: patience" is no assignment.
            if start >= 0 and len(value) > 5 and re.search(r"[\d_!@#$%^&*]", value):
                yield at + start, at + start + len(value), "password"
        at += len(line)


@lru_cache(maxsize=1)
def _detectors() -> tuple[list[tuple[re.Pattern[str], str]], Any]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.keyword import KeywordDetector

    kinds = get_mapping_from_secret_type_to_class().items()
    return [
        (pattern, name.lower())
        for name, kind in sorted(kinds)
        if kind.__name__ not in _IGNORED
        for pattern in getattr(kind, "denylist", ())
    ], KeywordDetector()


def _replaced(text: str, found: list[Span]) -> tuple[str, int]:
    parts: list[str] = []
    at = count = 0
    for start, end, kind in found:
        if start < at:
            continue
        parts += (text[at:start], f"[redacted: {kind}]")
        at = end
        count += 1
    return "".join([*parts, text[at:]]), count
