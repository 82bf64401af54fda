"""``belief-memory bench``: evaluations that anyone can rerun."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from belief_memory.cli.options import fail, one_line_errors
from belief_memory.evals.precision import read_suites, run
from belief_memory.evals.summary import Summary, summarise

app = typer.Typer(no_args_is_help=True, help="Evaluations that anyone can rerun.")


@app.callback()
def _group() -> None:
    """Evaluations that anyone can rerun."""


@app.command()
def precision(
    data: Annotated[
        Path,
        typer.Option(exists=True, file_okay=False, help="Holds PrecisionMemBench and/or packs."),
    ],
    out: Annotated[Path | None, typer.Option(help="Write every result as JSON here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Retrieval precision on labelled cases, through the public API. Fails if one fails."""
    report = {suite.name: run(suite) for suite in read_suites(data)}
    if not report:
        fail(f"no labelled cases under {data}")
    plain = {
        name: {
            "summary": [asdict(line) for line in summarise(results)],
            "results": [asdict(result) for result in results],
        }
        for name, results in report.items()
    }
    if out is not None:
        with one_line_errors():
            out.write_text(json.dumps(plain, indent=2, ensure_ascii=False), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(plain, indent=2, ensure_ascii=False))
    else:
        for name, results in report.items():
            Console().print(_table(name, summarise(results)))
    failed = [result for results in report.values() for result in results if result.failures]
    for result in failed:
        typer.echo(f"{result.id}: {'; '.join(result.failures)}", err=True)
    raise typer.Exit(1 if failed else 0)


def _table(name: str, lines: list[Summary]) -> Table:
    columns = ("cases", "passed", "precision", "recall", "drift", "p50 ms", "p95 ms")
    table = Table("kind", *columns, title=name)
    for line in lines:
        table.add_row(
            line.kind,
            str(line.cases),
            str(line.passed),
            "-" if line.precision is None else f"{line.precision:.2f}",
            "-" if line.recall is None else f"{line.recall:.2f}",
            f"{line.drift:.2f}",
            f"{line.p50_ms:.3f}",
            f"{line.p95_ms:.3f}",
        )
    return table
