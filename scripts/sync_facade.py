"""Writes src/belief_memory/sync/ from src/belief_memory/engine/: async is written once.

python scripts/sync_facade.py            write the files
python scripts/sync_facade.py --check    fail if they are not what it would write
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "src" / "belief_memory" / "engine"
SYNC = ROOT / "src" / "belief_memory" / "sync"

FAMILIES = {
    "writes": ("WriteVerbs", "SyncVerbs", "belief_memory.sync.base"),
    "reads": ("ReadVerbs", "WriteVerbs", "belief_memory.sync.writes"),
    "transfer": ("TransferVerbs", "ReadVerbs", "belief_memory.sync.reads"),
    "review": ("ReviewVerbs", "TransferVerbs", "belief_memory.sync.transfer"),
    "episodes": ("EpisodeVerbs", "ReviewVerbs", "belief_memory.sync.review"),
    "learn": ("LearnVerbs", "EpisodeVerbs", "belief_memory.sync.episodes"),
    "recall": ("RecallVerb", "LearnVerbs", "belief_memory.sync.learn"),
    "persona": ("PersonaVerbs", "RecallVerb", "belief_memory.sync.recall"),
}
HEADER = "# Made from engine/{name}.py by scripts/sync_facade.py; change it there.\n"


def blocking(method: ast.AsyncFunctionDef, overloaded: set[str]) -> ast.FunctionDef:
    """The method without async: the same signature and docstring, driven to its end."""
    doc = ast.get_docstring(method, clean=False)
    overload = is_overload(method)
    body: list[ast.stmt] = []
    if overload:
        body.append(ast.Expr(ast.Constant(...)))
    else:
        args = method.args
        call = ast.Call(
            ast.Attribute(ast.Attribute(ast.Name("self"), "_async"), method.name),
            [ast.Name(arg.arg) for arg in args.args[1:]],
            [ast.keyword(arg.arg, ast.Name(arg.arg)) for arg in args.kwonlyargs]
            + ([ast.keyword(None, ast.Name(args.kwarg.arg))] if args.kwarg else []),
        )
        drive = ast.Attribute(ast.Attribute(ast.Name("self"), "_engine"), "drive")
        if doc is not None:
            body.append(ast.Expr(ast.Constant(doc)))
        driven = ast.Call(drive, [call], [])
        if method.name in overloaded:
            # Type checkers do not carry the overloads through a call on the union.
            driven = ast.Call(
                ast.Name("cast"), [ast.Constant(ast.unparse(method.returns)), driven], []
            )
        body.append(ast.Return(driven))
    return ast.FunctionDef(
        name=method.name,
        args=method.args,
        body=body,
        decorator_list=[ast.Name("overload")] if overload else [],
        returns=method.returns,
        type_params=[],
        lineno=0,
    )


def is_overload(method: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in method.decorator_list)


def facade(name: str) -> str:
    """The source of one family's sync module."""
    source = ast.parse((ENGINE / f"{name}.py").read_text())
    class_name, base, base_module = FAMILIES[name]
    family = next(
        node for node in source.body if isinstance(node, ast.ClassDef) and node.name == class_name
    )
    public = [
        node
        for node in family.body
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    overloaded = {node.name for node in public if is_overload(node)}
    verbs = [blocking(node, overloaded) for node in public]
    used = {node.id for verb in verbs for node in ast.walk(verb) if isinstance(node, ast.Name)}
    imports: list[ast.stmt] = [ast.ImportFrom(base_module, [ast.alias(base)], 0)]
    if overloaded:
        imports.append(ast.ImportFrom("typing", [ast.alias("cast")], 0))
    for node in source.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names = [alias for alias in node.names if alias.name in used]
            if names:
                imports.append(ast.ImportFrom(node.module, names, 0))
    constants = sorted(n for n in used if n.isupper() and n != "UNSET")
    if constants:
        raise SystemExit(f"{name}: a signature uses {constants}; import them from model")
    module = ast.Module(
        body=[
            ast.Expr(ast.Constant(ast.get_docstring(source, clean=False))),
            ast.ImportFrom("__future__", [ast.alias("annotations")], 0),
            *imports,
            ast.ClassDef(
                name=class_name,
                bases=[ast.Name(base)],
                keywords=[],
                body=[ast.Expr(ast.Constant(ast.get_docstring(family, clean=False))), *verbs],
                decorator_list=[],
                type_params=[],
            ),
        ],
        type_ignores=[],
    )
    text = HEADER.format(name=name) + ast.unparse(ast.fix_missing_locations(module)) + "\n"
    return formatted(text, SYNC / f"{name}.py")


def formatted(text: str, path: Path) -> str:
    """The text as the project's formatter leaves it."""
    ruff = [sys.executable, "-m", "ruff"]
    for step in (["check", "--fix", "--select", "I", "-q"], ["format", "-q"]):
        text = subprocess.run(
            [*ruff, *step, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
    return text


def main() -> None:
    check = "--check" in sys.argv[1:]
    for name in FAMILIES:
        path, text = SYNC / f"{name}.py", facade(name)
        if check:
            if not path.exists() or path.read_text() != text:
                raise SystemExit(f"{path.relative_to(ROOT)} is stale: run {Path(__file__).name}")
        else:
            path.write_text(text)


if __name__ == "__main__":
    main()
