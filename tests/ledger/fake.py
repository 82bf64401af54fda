"""A ledger small enough to be obviously right: every version ever, applied plan by plan."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from belief_memory.ledger.held import HeldIndex, key_of
from belief_memory.ledger.planner import Planner
from belief_memory.ledger.reading import Reader
from belief_memory.model.belief import Belief, Statement
from belief_memory.model.draft import Draft, to_draft
from belief_memory.model.outcome import Outcome

DAY0 = datetime(2024, 1, 1, tzinfo=UTC)
SCOPE = "user:universal"


def day(number: float) -> datetime:
    """Midnight of a day, in valid or in system time."""
    return DAY0 + timedelta(days=number)


def number(at: datetime | None) -> float | None:
    """The inverse of :func:`day`."""
    return None if at is None else (at - DAY0) / timedelta(days=1)


def name_keys(statement: Statement) -> tuple[str, ...]:
    """Something that depends on every name, so that a stale one shows."""
    names = (statement.canonical_name, *statement.aliases, *statement.attribute_aliases)
    return tuple(sorted({*names, *([statement.attribute] if statement.attribute else [])}))


class Ledger:
    """One user's ledger; one planner per call unless a planner is asked for."""

    def __init__(self, *, agent_id: str | None = None, scopes: Iterable[str] = (SCOPE,)) -> None:
        self.ever: dict[str, Belief] = {}
        self.agent_id = agent_id
        self.scopes = tuple(scopes)
        self.now = DAY0
        self._ids = count(1)

    def new_id(self) -> str:
        return f"b{next(self._ids)}"

    def held(self, known_at: datetime | None = None) -> HeldIndex:
        """What was held at ``known_at`` (None: what is held)."""
        return HeldIndex(
            version
            for version in self.ever.values()
            if (version.retired_at is None if known_at is None else version.known_at(known_at))
        )

    def planner(self, at: datetime, **handle: Any) -> Planner:
        self.now = at
        options: dict[str, Any] = {
            "user_id": "alice",
            "agent_id": self.agent_id,
            "scopes": self.scopes,
            **handle,
        }
        return Planner(self.held(), at=at, new_id=self.new_id, name_keys=name_keys, **options)

    def commit(self, planner: Planner) -> None:
        """Apply a plan, and check what holds of every plan."""
        plan = planner.plan()
        held = {version.version_id for version in self.held()}
        for version in plan.writes:
            assert version.version_id not in self.ever, f"{version.version_id} was used before"
            assert version.name_keys == name_keys(version)
            assert version.valid_to is None or version.valid_from < version.valid_to
            # Not one field that the model would refuse.
            Belief.model_validate(version.to_record())
            self.ever[version.version_id] = version
        for retirement in plan.retirements:
            assert retirement.version_id in held
            retired = self.ever[retirement.version_id]
            assert retired.recorded_at < retirement.at
            self.ever[retirement.version_id] = retired.but(retired_at=retirement.at)
        for counted in plan.reinforcements:
            version = self.ever[counted.version_id]
            assert version.retired_at is None
            self.ever[counted.version_id] = version.but(
                reinforcement_count=counted.count, last_reinforced_at=counted.at
            )

    def remember(
        self,
        content: str,
        *,
        at: float,
        name: str = "user",
        attribute: str | None = "residence",
        handle: dict[str, Any] | None = None,
        **fields: Any,
    ) -> Outcome:
        """Assert something on a day; ``valid_from`` and ``valid_to`` are days, too."""
        draft = make_draft(content, name=name, attribute=attribute, **fields)
        planner = self.planner(day(at), **(handle or {}))
        outcome = planner.remember(draft)
        self.commit(planner)
        return outcome

    def do(
        self, verb: str, *args: Any, at: float, handle: dict[str, Any] | None = None, **options: Any
    ) -> Outcome:
        """Any other operation, alone in a commit; bounds are days."""
        for bound in ("valid_from", "valid_to"):
            if isinstance(options.get(bound), (int, float)):
                options[bound] = day(options[bound])
        planner = self.planner(day(at), **(handle or {}))
        outcome: Outcome = getattr(planner, verb)(*args, **options)
        self.commit(planner)
        return outcome

    def load(self, records: Iterable[Belief], *, at: float) -> int:
        records = list(records)
        planner = self.planner(day(at))
        ids = {record.id for record in records}
        existing = {n: v for n, v in self.ever.items() if v.id in ids}
        last: dict[str, datetime] = {}
        for version in self.ever.values():
            newest = max(version.recorded_at, version.retired_at or version.recorded_at)
            last[key_of(version)] = max(newest, last.get(key_of(version), newest))
        loaded = planner.load(records, existing=existing, last_change=last)
        self.commit(planner)
        return loaded

    def current(
        self,
        valid: float,
        known: float | None = None,
        *,
        scopes: Iterable[str] | None = None,
        agent_id: str | None = None,
        name: str = "user",
        attribute: str | None = "residence",
    ) -> list[str]:
        """Contents current on a day of valid time, as known on a day of system time."""
        held = self.held(None if known is None else day(known))
        reader = Reader(held, day(valid), None if scopes is None else frozenset(scopes), agent_id)
        return sorted(
            version.content
            for version in held
            if (version.canonical_name, version.attribute) == (name, attribute)
            and reader.eligible(version)
        )

    def rows(self, *, name: str = "user", standing: str = "held") -> list[tuple[Any, ...]]:
        """(content, from, to, superseded by content) of what is held, in order of time."""
        held = self.held()
        contents = {version.id: version.content for version in held}
        return [
            (
                version.content,
                number(version.valid_from),
                number(version.valid_to),
                None if version.superseded_by is None else contents.get(version.superseded_by),
            )
            for version in sorted(held, key=lambda v: (v.valid_from, v.content, v.rev))
            if version.canonical_name == name and version.standing == standing
        ]

    def one(self, content: str, standing: str = "held") -> Belief:
        """The one version held that says this."""
        (found,) = (v for v in self.held() if v.content == content and v.standing == standing)
        return found


def make_draft(
    content: str,
    *,
    name: str = "user",
    attribute: str | None = "residence",
    **fields: Any,
) -> Draft:
    for bound in ("valid_from", "valid_to"):
        if isinstance(fields.get(bound), (int, float)):
            fields[bound] = day(fields[bound])
    return to_draft({"canonical_name": name, "attribute": attribute, "content": content, **fields})
