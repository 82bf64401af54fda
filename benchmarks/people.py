"""Names, beliefs and turns for the benchmarks of recall: made up, the same in every run."""

from __future__ import annotations

import random


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_STARTS = words("ba be bi bo da de di do fa fe ga go ha he ka ko la le li lo ma me mi mo na ne")
_MIDDLES = words("la le lo ma mi na no ra re ri ro sa se ta ti to va ve vo za")
_ENDS = words("dor ket lin mas nar pol rex sen tal vik zun bar fox gen hub jet")
_KINDS = words("service cluster gateway dashboard pipeline account budget garden project library")
SMALL_TALK = words(
    "please tell me what we decided about this last time because I would like to "
    "plan the week and then write a short note for everybody who was not there when "
    "it came up again"
)


def name(number: int) -> str:
    """A name of its own for every number; every third has two words."""
    chance = random.Random(number)
    word = chance.choice(_STARTS) + chance.choice(_MIDDLES) + chance.choice(_ENDS)
    word = f"{word}{_ENDS[number % 16]}{_MIDDLES[number // 16 % 20]}{number // 320 or ''}"
    return f"{word} {chance.choice(_KINDS)}" if number % 3 == 0 else word


def record(number: int) -> dict[str, object]:
    """A belief of ordinary size, with two names."""
    called = name(number)
    return {
        "canonical_name": called,
        "content": f"{called.title()} is in region {number % 7}; team {number % 90} owns it.",
        "why_it_matters": f"Assume region {number % 7} in anything about it.",
        "aliases": [f"{called} {number}"],
        "type": ("fact", "entity", "decision", "event")[number % 4],
    }


def turn(chance: random.Random, beliefs: int, words: int = 20) -> str:
    """What somebody says: small talk, and the names of two of so many beliefs."""
    said = [chance.choice(SMALL_TALK) for _ in range(words - 3)]
    for _ in range(2):
        said.insert(chance.randrange(len(said)), name(chance.randrange(beliefs)))
    return " ".join(said)


def prompt(chance: random.Random, beliefs: int) -> str:
    """About 4,000 words: prose, pasted code, a stack trace, links and paths."""
    parts: list[str] = []
    for block in range(20):
        parts.append(turn(chance, beliefs, 25) + ".")
        parts += [f"{' '.join(chance.choices(SMALL_TALK, k=33))}." for _ in range(4)]
        code = "\n".join(
            f"    {chance.choice(SMALL_TALK)}_{line} = load('{chance.choice(SMALL_TALK)}', {line})"
            for line in range(12)
        )
        parts.append(f"```python\ndef step_{block}():\n{code}\n```")
        parts.append(
            f"See https://example.org/{block}/docs?q=a and src/app/step_{block}.py, commit "
            f"{chance.randrange(16**12):012x}."
        )
    parts.append(
        "Traceback (most recent call last):\n"
        + "".join(f'  File "/srv/app/{n}.py", line {n}, in run\n    go({n})\n' for n in range(20))
        + "ValueError: no such thing\n"
    )
    return "\n\n".join(parts)
