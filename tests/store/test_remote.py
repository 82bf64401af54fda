"""The calls that differ on a remote service, against a stub with its documented limits."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pyarrow as pa
import pytest

from belief_memory.errors import StoreError
from belief_memory.store.lance.connection import Connection
from belief_memory.store.lance.place import place_of
from belief_memory.store.lance.remote import Remote


class StubReader:
    schema = pa.schema([("id", pa.string())], metadata={"owner": "alice"})

    async def __aiter__(self) -> AsyncIterator[pa.RecordBatch]:
        for names in (["a", "b"], ["c"]):
            yield pa.RecordBatch.from_pylist([{"id": name} for name in names], schema=self.schema)


class StubQuery:
    async def to_arrow(self) -> pa.Table:
        raise NotImplementedError("to_arrow() is not yet supported on remote tables")

    async def to_batches(self) -> StubReader:
        return StubReader()


class StubTable:
    """A remote table: these calls are what it refuses."""

    async def set_unenforced_primary_key(self, column: str) -> None:
        raise NotImplementedError("not supported on LanceDB Cloud")

    async def optimize(self, **_: object) -> None:
        raise NotImplementedError("not supported on LanceDB Cloud")


async def test_rows_come_as_batches_with_their_schema() -> None:
    rows = await Remote(cloud=True).rows(StubQuery())
    assert rows.to_pylist() == [{"id": "a"}, {"id": "b"}, {"id": "c"}]
    assert rows.schema == StubReader.schema
    assert rows.schema.metadata == {b"owner": b"alice"}
    with pytest.raises(NotImplementedError):
        await Remote(cloud=False).rows(StubQuery())


async def test_what_the_service_does_itself_is_not_asked_of_it() -> None:
    table, remote = StubTable(), Remote(cloud=True)
    await remote.set_primary_key(table, "id")
    await remote.merge_files(table)
    await remote.compact(table, purge=True)
    for refused in (
        Remote(cloud=False).set_primary_key(table, "id"),
        Remote(cloud=False).merge_files(table),
        Remote(cloud=False).compact(table, purge=True),
    ):
        with pytest.raises(NotImplementedError):
            await refused


def test_an_erasure_there_is_not_verified() -> None:
    assert not Remote(cloud=True).verifies_erasure
    assert Remote(cloud=False).verifies_erasure


async def test_a_service_is_reached_with_its_key_region_and_host() -> None:
    # The driver connects when it is first asked something, so this needs no network.
    options = {"api_key": "k", "region": "eu-west-1"}
    connection = await Connection(place_of("db://beliefs"), options).get()
    assert "beliefs.eu-west-1" in repr(connection)
    options = {"api_key": "k", "host_override": "http://127.0.0.1:9"}
    connection = await Connection(place_of("db://beliefs"), options).get()
    assert "http://127.0.0.1:9" in repr(connection)


async def test_the_key_of_a_service_may_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = place_of("db://beliefs")
    monkeypatch.delenv("LANCEDB_API_KEY", raising=False)
    with pytest.raises(StoreError, match="api_key"):
        await Connection(place, None).get()
    monkeypatch.setenv("LANCEDB_API_KEY", "k")
    assert await Connection(place, None).get() is not None
    given = Remote(cloud=True).options({"api_key": "mine"})
    assert given == {"remote_database_api_key": "mine"}


def test_the_options_of_a_bucket_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANCEDB_API_KEY", "k")
    assert Remote(cloud=False).options({"region": "eu-west-1"}) == {"region": "eu-west-1"}
    assert Remote(cloud=False).options(None) == {}
