"""The public surface of a package as text, so that a change of it is a decision.

It is read from the source and not from the running modules: annotations and defaults stand
as they are written, whatever Python or framework is installed. Needs griffe (``griffelib``).
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import griffe

REWRITE = "BELIEF_MEMORY_REWRITE_SURFACE"
"""The environment variable that makes :func:`differences` write the file it compares with."""

WIDTH = 100


def surface(module: str) -> str:
    """Every public name of ``module``, with what it promises.

    Public is what its ``__all__`` lists, or, without one, what it defines under a name with no
    leading underscore. Functions and public methods have their parameters (kinds, annotations,
    defaults) and what they return; classes have their bases and attributes too. Members that
    come from a base class of the same distribution count as the class's own, those of other
    distributions' classes do not.

    Args:
        module: A package or module that can be imported, such as ``"belief_memory"``.

    Raises:
        ModuleNotFoundError: There is no such module.
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    origin = Path(spec.origin)
    # The folder above the package: an editable install is no place griffe would look in.
    above = origin.parents[module.count(".") + (origin.name == "__init__.py")]
    package = griffe.load(module, search_paths=[above], resolve_aliases=True)
    names = package.exports or [
        name
        for name, found in package.members.items()
        if not name.startswith("_") and not found.is_alias
    ]
    home = origin.parent if origin.name == "__init__.py" else origin
    while (home.parent / "__init__.py").exists():
        home = home.parent
    lines = [f"# {module}"]
    for name in sorted(map(str, names)):
        lines += ["", *_described(name, package[name], home)]
    return "\n".join(lines) + "\n"


def differences(snapshot: Path, *modules: str) -> str:
    """How the surface of the modules differs from what ``snapshot`` holds, as a diff; ``""`` if
    it does not.

    With ``BELIEF_MEMORY_REWRITE_SURFACE=1`` in the environment the file is written first.
    """
    now = "\n\n".join(surface(module) for module in modules)
    if os.environ.get(REWRITE):
        snapshot.write_text(now, encoding="utf-8")
    was = snapshot.read_text(encoding="utf-8") if snapshot.exists() else ""
    return "\n".join(
        difflib.unified_diff(was.splitlines(), now.splitlines(), snapshot.name, "now", lineterm="")
    )


def _final(found: griffe.Object | griffe.Alias, home: Path) -> griffe.Object | None:
    """What the name stands for; ``None`` where it is not of the package in ``home``.

    A namespace is shared by distributions: griffe finds the others' part of it too.
    """
    try:
        final = found.final_target if isinstance(found, griffe.Alias) else found
    except griffe.AliasResolutionError:
        return None
    here = isinstance(final.filepath, Path) and final.filepath.is_relative_to(home)
    return final if here else None


def _described(name: str, known_as: griffe.Object | griffe.Alias, home: Path) -> Iterator[str]:
    found = _final(known_as, home)
    if found is None:
        yield f"{name} is {getattr(known_as, 'target_path', known_as.path)}"
        return
    if not isinstance(found, griffe.Class):
        yield from _signed(name, found)
        return
    # Of the decorators, those of the language: others are how it is done.
    decorators = [str(one.value) for one in found.decorators if "dataclass" in str(one.value)]
    bases = ", ".join(str(base) for base in found.bases)
    head = f"class {name}({bases})" if bases else f"class {name}"
    yield " ".join([*(f"@{one}" for one in decorators), head])
    members = {
        member: value
        for member, alias in found.all_members.items()
        if (member == "__init__" or not member.startswith("_")) and (value := _final(alias, home))
    }
    made_from: set[str] = set()
    if decorators and isinstance(made := members.get("__init__"), griffe.Function):
        made_from = {parameter.name for parameter in made.parameters}
    for member in sorted(members):
        if member not in made_from:
            yield from (f"    {line}" for line in _signed(member, members[member]))


def _signed(name: str, found: griffe.Object) -> Iterator[str]:
    if isinstance(found, griffe.Function):
        for one in found.overloads or []:
            yield from _wrapped(f"@overload {_called(name, one)}")
        yield from _wrapped(_called(name, found))
    elif isinstance(found, griffe.Attribute):
        annotated = "" if found.annotation is None else f": {found.annotation}"
        if "property" in found.labels:
            yield f"@property {name}{annotated}"
        elif found.value is None or found.labels == {"instance-attribute"}:
            yield f"{name}{annotated}"  # what __init__ assigns to it is how it is done
        else:
            yield from _wrapped(f"{name}{annotated} = {found.value}")
    else:
        yield f"{found.kind.value} {name}"


def _called(name: str, found: griffe.Function) -> str:
    marks = [f"@{label} " for label in ("classmethod", "staticmethod") if label in found.labels]
    waits = "async " if "async" in found.labels else ""
    return f"{''.join(marks)}{waits}def {found.signature(name=name)}"


def _wrapped(line: str) -> Iterator[str]:
    """The line; one that is long has each of its parameters on a line of its own."""
    if len(line) <= WIDTH or "(" not in line:
        yield line
        return
    depth, start = 0, 0
    for at, char in enumerate(line):
        depth += (char in "([{") - (char in ")]}")
        opens = char == "(" and depth == 1 and start == 0
        if opens or (char == "," and depth == 1):
            yield line[start : at + 1] if start == 0 else f"    {line[start : at + 1].strip()}"
            start = at + 1
        elif char == ")" and depth == 0:
            yield f"    {line[start:at].strip()},"
            yield line[at:]
            return
