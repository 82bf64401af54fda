"""Every benchmark, one after another, each in a process of its own.

python -m benchmarks [--quick] [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import subprocess
import sys

QUICK = ("engine", "recall", "langchain", "llama_index")
"""Those that know ``--quick``."""
DATA = ("precision_scale", "langchain", "llama_index")
"""Those that read the evaluation data; the first is nothing without."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller stores")
    parser.add_argument("--data", help="the folder of evaluation data")
    options = parser.parse_args()
    status = 0
    for name in (*QUICK, *(DATA[:1] if options.data else ())):
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        if options.quick and name in QUICK:
            command.append("--quick")
        if options.data and name in DATA:
            command += ["--data", options.data]
        status |= subprocess.run(command, check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
