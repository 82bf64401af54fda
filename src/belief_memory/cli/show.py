"""How the command line prints: tables for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from belief_memory.model.belief import Belief
from belief_memory.model.context import ROUTES, Context, Route
from belief_memory.model.outcome import Changes, Conflict, Outcome, Receipt

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """``text`` without control characters, which would steer the terminal."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(text: str) -> None:
    """Print what may quote a belief."""
    typer.echo(printable(text))


class Show:
    """Prints results, as JSON or as text."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._console = Console()

    def context(self, context: Context, *, explain: bool) -> None:
        if self._as_json:
            routes = {route: context_route(context, route) for route in ROUTES}
            self._json(
                {
                    "routes": routes,
                    "persona": context.persona,
                    "text": context.render(),
                    "reasons": [_plain(reason) for reason in context.explain()] if explain else [],
                }
            )
            return
        say(context.render() or "(nothing recalled)")
        if explain:
            say(f"\n{context.explain()}")

    def beliefs(
        self, beliefs: Sequence[Belief], *, clocks: bool = False, ids: bool = False
    ) -> None:
        if self._as_json:
            self._json([_record(belief) for belief in beliefs])
            return
        if not beliefs:
            say("(none)")
            return
        table = Table(box=None, pad_edge=False)
        shown = ("slot", "content", "valid", *(("recorded", "retired") if clocks else ()))
        for column in ("id", *shown) if ids else shown:
            # An id is there to be copied whole.
            table.add_column(column, overflow="fold", no_wrap=column == "id")
        for belief in beliefs:
            row = [printable(belief.id)] if ids else []
            row += [printable(str(belief.slot)), printable(belief.content), _interval(belief)]
            if clocks:
                row += [_day(belief.recorded_at), _day(belief.retired_at)]
            table.add_row(*(Text(cell) for cell in row))
        self._console.print(table)

    def changes(self, changes: Changes) -> None:
        if self._as_json:
            self._json(
                {"changes": [_plain(change) for change in changes], "cursor": changes.cursor}
            )
            return
        for change in changes:
            belief = change.belief
            say(f"{_day(change.at)}  {change.kind:<8}  {belief.slot}: {belief.content}")
        say(f"cursor: {changes.cursor}")

    def conflicts(self, conflicts: Sequence[Conflict]) -> None:
        if self._as_json:
            self._json([_plain(conflict) for conflict in conflicts])
            return
        for conflict in conflicts:
            held = "(nothing)" if conflict.held is None else conflict.held.content
            say(f"{conflict.id}  {conflict.alternative.slot}")
            say(f"  held:        {held}\n  alternative: {conflict.alternative.content}")
        if not conflicts:
            say("(none)")

    def outcome(self, outcome: Outcome) -> None:
        if self._as_json:
            self._json(_plain(outcome))
            return
        say(outcome.action)
        for belief in (outcome.belief, *outcome.touched):
            if belief is not None:
                say(f"  {belief.version_id}  {belief.slot}: {belief.content}  {_interval(belief)}")

    def outcomes(self, outcomes: Sequence[Outcome]) -> None:
        if self._as_json:
            self._json([_plain(outcome) for outcome in outcomes])
            return
        for outcome in outcomes:
            self.outcome(outcome)

    def receipt(self, receipt: Receipt) -> None:
        if self._as_json:
            self._json(_plain(receipt))
            return
        proof = "nothing is left on disk" if receipt.verified else "the storage cannot prove it"
        turns = f", and {receipt.turns} turns" if receipt.turns else ""
        say(f"erased {receipt.beliefs} beliefs in {receipt.versions} versions{turns}; {proof}")

    def digest(self, text: str) -> None:
        if self._as_json:
            self._json({"digest": text})
        else:
            say(text)

    def fields(self, value: Any) -> None:
        if self._as_json:
            self._json(_plain(value))
            return
        for name, field in asdict(value).items():
            say(f"{name.replace('_', ' ')}: {field}")

    def count(self, word: str, number: int) -> None:
        if self._as_json:
            self._json({word: number})
        else:
            say(f"{word} {number}")

    def _json(self, value: object) -> None:
        # Control characters stand inside strings only, where the escape means the same.
        say(json.dumps(value, ensure_ascii=False, indent=2))


def context_route(context: Context, route: Route) -> list[dict[str, Any]]:
    """The records of one route."""
    beliefs = context.persona_beliefs if route == "persona" else getattr(context, route)
    return [_record(belief) for belief in beliefs]


def _record(belief: Belief) -> dict[str, Any]:
    return belief.model_dump(mode="json")


def _plain(value: object) -> Any:
    if isinstance(value, Belief):
        return _record(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def _day(at: datetime | None) -> str:
    return "-" if at is None else at.strftime("%Y-%m-%d %H:%M")


def _interval(belief: Belief) -> str:
    return f"[{_day(belief.valid_from)}, {_day(belief.valid_to)})"
