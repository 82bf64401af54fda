"""The rules of the house that no linter knows: module length, and no machine's paths.

Tests are left out: they are as long as what they list, and hold paths as text.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CEILING = 400
MACHINE = re.compile(r"/(?:home|root|Users|work)/[A-Za-z]")


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    faults: list[str] = []
    for name in listed:
        path = ROOT / name
        if not path.is_file():
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if "tests" in Path(name).parts:
            continue
        lines = text.count("\n")
        if path.suffix == ".py" and lines > CEILING:
            faults.append(f"{name}: {lines} lines, the ceiling is {CEILING}")
        if path.suffix in {".py", ".md", ".toml", ".cfg", ".yml"} and path != Path(__file__):
            faults += [
                f"{name}:{number}: a machine's path"
                for number, line in enumerate(text.splitlines(), 1)
                if MACHINE.search(line)
            ]
    print("\n".join(faults) or f"{len(listed)} files keep the house rules")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
