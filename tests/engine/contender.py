"""A process that writes in rounds beside its rivals; prints what was acknowledged, as JSON.

python -m tests.engine.contender URI NAME ROUNDS SHAPE [STORAGE_OPTIONS]
"""

from __future__ import annotations

import json
import sys

from belief_memory import BeliefMemory


def main() -> None:
    uri, name, rounds, shape, *options = sys.argv[1:]
    storage = json.loads(options[0]) if options else None
    acknowledged: list[list[str]] = []
    with BeliefMemory.open(uri, storage_options=storage) as memory:
        user = memory.for_user("shared")
        print("ready", flush=True)
        for round in range(int(rounds)):
            sys.stdin.readline()
            if shape == "new":
                outcome = user.remember(f"slot {round}", f"{name} in {round}")
                outcomes = [outcome]
            else:
                # Plans of different sizes: each process also writes 0 to 3 slots of its own.
                own = [
                    {"canonical_name": f"{name} {round} {n}", "content": f"{name} own {n}"}
                    for n in range(int(name[-1]))
                ]
                drafts = [{"canonical_name": "shared slot", "content": f"{name} in {round}"}, *own]
                outcomes = user.remember_many(drafts)
            acknowledged += [[o.belief.id, o.belief.content] for o in outcomes if o.belief]
            print("done", flush=True)
    print(json.dumps(acknowledged), flush=True)


if __name__ == "__main__":
    main()
