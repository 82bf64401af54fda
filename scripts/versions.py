"""Do the packages work where they say they do? Installs their wheels on the lowest versions
their pyprojects allow and on the newest there are, alone and together, and uses them.

    python scripts/versions.py                      # every environment, on this Python
    python scripts/versions.py --only together      # what CI runs
    python scripts/versions.py --tests              # and each package's own tests
    python scripts/versions.py --python 3.11 --python 3.13

Everything happens in a temporary folder. The tests run on a copy of the repository that has
no source in it, so that only the wheel can be what they import.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).resolve().parent.parent
SMOKE = ROOT / "scripts" / "smoke.py"
CORE, LANGCHAIN, LLAMA = (
    Path("."),
    Path("integrations/langchain-belief-memory"),
    Path("integrations/llama-index-memory-belief"),
)
SOURCES = (CORE / "src", LANGCHAIN / "src", LLAMA / "llama_index")
APART = ("tests/docs", "tests/cookbook", "tests/mcp")
"""Tests of the core that need an integration or an extra."""
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}


@dataclass(frozen=True)
class Environment:
    """What is installed side by side, and which tests that is enough for."""

    name: str
    packages: tuple[Path, ...]
    group: str
    """The dependency group that the tests need, of the pyproject in ``inside``."""
    tests: tuple[str, ...]
    inside: Path = CORE
    extras: tuple[str, ...] = ()
    """The optional parts, of whichever package has one of that name."""


ENVIRONMENTS = (
    Environment(
        "core",
        (CORE,),
        "test",
        ("tests", "--ignore=tests/house", *(f"--ignore={one}" for one in APART)),
    ),
    Environment("langchain", (CORE, LANGCHAIN), "test", ("tests",), LANGCHAIN),
    Environment("llama-index", (CORE, LLAMA), "test", ("tests",), LLAMA),
    Environment("together", (CORE, LANGCHAIN, LLAMA), "dev", APART, extras=("classic", "mcp")),
)


class Failed(Exception):
    """A step that should have worked; its text is what the step printed."""


@dataclass
class Row:
    """One line of the table."""

    environment: str
    resolution: str
    python: str
    direct: list[str] = field(default_factory=list)
    installed: int = 0
    disk: float = 0.0
    download: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    tests: str = ""
    outcome: str = "ok"


def run(*words: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """What the command printed; raises :class:`Failed` when it fails."""
    kept = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=kept | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(f"$ {' '.join(map(str, words))}\n{done.stdout[-6000:]}")
    return done.stdout


def uv(*words: str | Path, cwd: Path = ROOT) -> str:
    return run(sys.executable, "-m", "uv", "--quiet", *words, cwd=cwd)


def same_index_as_pip() -> None:
    """uv reads none of pip's configuration: it is told which index pip asks."""
    if {"UV_DEFAULT_INDEX", "UV_INDEX_URL"} & os.environ.keys():
        return
    pip = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout.strip():
        os.environ["UV_DEFAULT_INDEX"] = done.stdout.strip()


def project(package: Path) -> dict[str, Any]:
    told: dict[str, Any] = tomllib.loads((ROOT / package / "pyproject.toml").read_text())["project"]
    return told


def names(environment: Environment) -> list[str]:
    return [project(package)["name"] for package in environment.packages]


def requirements(environment: Environment) -> list[str]:
    """What the packages' pyprojects ask for, each other left out."""
    listed: list[str] = []
    for package in environment.packages:
        told = project(package)
        listed += told["dependencies"]
        for extra in environment.extras:
            listed += told.get("optional-dependencies", {}).get(extra, [])
    return [one for one in listed if not one.startswith("belief-memory")]


class Bench:
    """A temporary folder with the wheels in it, where environments are made and thrown away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels: dict[Path, Path] = {}
        for package in (CORE, LANGCHAIN, LLAMA):
            # A wheel out of the source distribution, so that this is shown to be complete.
            uv("build", "--out-dir", folder / "wheels", ROOT / package)
            stem = project(package)["name"].replace("-", "_")
            (self.wheels[package],) = (folder / "wheels").glob(f"{stem}-*.whl")
        self.tree = folder / "tree"
        copy_without_source(self.tree)

    def try_out(self, environment: Environment, resolution: str, python: str, tests: bool) -> Row:
        row = Row(environment.name, resolution, python)
        home = Path(tempfile.mkdtemp(dir=self.folder)) / "venv"
        try:
            self._try_out(environment, row, home, tests)
        except Failed as failure:
            print(f"\n{environment.name}, {resolution}, {python}:\n{failure}\n", flush=True)
            row.outcome = "FAILED"
        finally:
            shutil.rmtree(home.parent, ignore_errors=True)
        return row

    def _try_out(self, environment: Environment, row: Row, home: Path, tests: bool) -> None:
        started = time.perf_counter()
        uv("venv", "--no-python-downloads", "--python", row.python, home)
        python = home / "bin" / "python"
        row.python = version_of(python)
        lock = self._lock(environment, row.resolution, home, python)
        uv("pip", "sync", "--python", python, lock)
        row.seconds["install"] = time.perf_counter() - started
        told = tomllib.loads(lock.read_text())["packages"]
        row.installed = len(told)
        direct = {name_of(one) for one in requirements(environment)}
        row.direct = [f"{one['name']} {one['version']}" for one in told if one["name"] in direct]
        row.download = sum(size(one, row.python) for one in told) / 1e6
        row.disk = megabytes(home)
        uv("pip", "check", "--python", python)
        started = time.perf_counter()
        run(python, "-I", SMOKE, *names(environment), cwd=home)
        row.seconds["smoke"] = time.perf_counter() - started
        if tests:
            started = time.perf_counter()
            row.tests = self._test(environment, row, home, python)
            row.seconds["tests"] = time.perf_counter() - started

    def _lock(self, environment: Environment, resolution: str, home: Path, python: Path) -> Path:
        """The exact versions, with the sizes of their wheels."""
        asked = home / "requirements.txt"
        # Their requirements are named beside the wheels: uv's lowest-direct would take those of
        # a wheel for indirect ones, and resolve them to the newest without a word.
        wheels = [str(self.wheels[package]) for package in environment.packages]
        asked.write_text("\n".join([*wheels, *requirements(environment)]))
        lock = home / "pylock.versions.toml"
        # Only wheels, so that the lowest version is one that this Python can have.
        uv(
            *("pip", "compile", "--only-binary", ":all:", "--python", str(python)),
            *("--resolution", RESOLUTIONS[resolution]),
            *("--format", "pylock.toml", "--output-file", str(lock), str(asked)),
        )
        return lock

    def _test(self, environment: Environment, row: Row, home: Path, python: Path) -> str:
        """Installs what the tests need without moving what the pyprojects name, and runs them.

        What lies below may move: moto, say, wants an older dateutil than the newest.
        """
        pinned = home / "pinned.txt"
        pinned.write_text("\n".join(line.replace(" ", "==") for line in row.direct))
        group = f"{ROOT / environment.inside / 'pyproject.toml'}:{environment.group}"
        uv("pip", "install", "--python", python, "--constraint", pinned, "--group", group)
        data = os.environ.get("BELIEF_MEMORY_DATA", str(ROOT.parent / "shared" / "data"))
        printed = run(
            *(str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *environment.tests),
            cwd=self.tree / environment.inside,
            BELIEF_MEMORY_DATA=data,
        )
        return printed.strip().splitlines()[-1].strip("= ")


def pip_only(bench: Bench) -> Row:
    """What a newcomer does who has nothing but pip, its cache left out."""
    together = ENVIRONMENTS[-1]
    row = Row("together, with pip alone", "newest", sys.executable)
    home = Path(tempfile.mkdtemp(dir=bench.folder))
    wheels = [bench.wheels[package] for package in together.packages]
    try:
        run(sys.executable, "-m", "venv", home / "venv")
        python = home / "venv" / "bin" / "python"
        row.python = version_of(python)
        bare = megabytes(home)
        started = time.perf_counter()
        pip = (python, "-m", "pip", "--quiet")
        run(*pip, "download", "--no-cache-dir", "--dest", home / "got", *wheels)
        run(*pip, "install", "--no-index", "--find-links", home / "got", *wheels)
        row.seconds["install"] = time.perf_counter() - started
        row.installed = len(list((home / "got").iterdir()))
        row.download = megabytes(home / "got")
        row.disk = megabytes(home / "venv") - bare
        run(*pip, "check")
        started = time.perf_counter()
        run(python, "-I", SMOKE, *names(together), cwd=home)
        row.seconds["smoke"] = time.perf_counter() - started
    except Failed as failure:
        print(f"\n{row.environment}:\n{failure}\n", flush=True)
        row.outcome = "FAILED"
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return row


def version_of(python: Path) -> str:
    return run(python, "-c", "import platform; print(platform.python_version())").strip()


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def copy_without_source(into: Path) -> None:
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in run("git", *listing).split("\0"):
        path = Path(name)
        if not name or any(path.is_relative_to(source) for source in SOURCES):
            continue
        if (ROOT / path).is_file():
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, into / path)


def name_of(requirement: str) -> str:
    return requirement.partition(";")[0].strip().split(">")[0].split("<")[0].split("=")[0].strip()


def size(package: dict[str, Any], python: str) -> int:
    """Bytes to download: of the wheel that fits best, where several fit."""
    if "archive" in package:
        return Path(package["archive"]["path"]).stat().st_size
    version = [int(part) for part in python.split(".")[:2]]
    best: list[Tag] = [
        *cpython_tags(version),
        *compatible_tags(version, f"cp{version[0]}{version[1]}"),
    ]
    sizes: dict[int, int] = {}
    for wheel in package["wheels"]:
        tags = parse_wheel_filename(wheel["url"].rpartition("/")[2])[3]
        places = [best.index(tag) for tag in tags if tag in best]
        if places:
            sizes[min(places)] = wheel["size"]
    return sizes[min(sizes)]


def table(rows: list[Row]) -> str:
    head = ["environment", "versions", "Python", "packages", "MB on disk", "MB to download"]
    head += ["s to install", "s of smoke", "s of tests", "outcome", "what the pyprojects name"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        spent = [f"{row.seconds.get(step, 0):.0f}" for step in ("install", "smoke", "tests")]
        cells = [row.environment, row.resolution, row.python, str(row.installed)]
        cells += [f"{row.disk:.0f}", f"{row.download:.0f}", *spent]
        cells += [f"{row.outcome} {row.tests}".strip(), ", ".join(row.direct)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [*(environment.name for environment in ENVIRONMENTS), "pip"]
    parser.add_argument("--only", action="append", choices=known, help="repeatable")
    parser.add_argument("--versions", action="append", choices=RESOLUTIONS, help="repeatable")
    parser.add_argument("--python", action="append", help="a version or a path, repeatable")
    parser.add_argument("--tests", action="store_true", help="each package's own tests too")
    options = parser.parse_args()
    same_index_as_pip()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="versions-") as folder:
        bench = Bench(Path(folder))
        for python in options.python or [sys.executable]:
            for environment in ENVIRONMENTS:
                if options.only and environment.name not in options.only:
                    continue
                for resolution in options.versions or RESOLUTIONS:
                    rows.append(bench.try_out(environment, resolution, python, options.tests))
                    print(table(rows[-1:]).splitlines()[-1], flush=True)
        if "pip" in (options.only or known):
            rows.append(pip_only(bench))
    print(f"\n{table(rows)}")
    return 1 if any(row.outcome != "ok" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
