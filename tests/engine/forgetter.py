"""A process that is killed while it forgets.

    python -m tests.engine.forgetter FOLDER WHAT POINT

WHAT is ``belief`` or ``everything``; POINT as in ``tests.store.victim``, counted from when
the forgetting begins. What was done by then is printed.
"""

from __future__ import annotations

import sys

from belief_memory import BeliefMemory
from belief_memory.learning import DeterministicExtractor
from tests.store.victim import die_at, say

SECRET = "Xylophonia"


def main(folder: str, what: str, point: str) -> None:
    memory = BeliefMemory.open(folder, extractor=DeterministicExtractor(), episodes=True)
    user = memory.for_user("alice")
    user.observe([f"I live in {SECRET}.", "The garden is wet."], session_id="s1")
    user.observe("My cat is called Yuki.", session_id="s2")
    say("begun")
    die_at(point)
    if what == "belief":
        user.forget(("user", "residence"))
    else:
        user.forget(everything=True)
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
