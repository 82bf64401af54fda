"""What the store relies on in the driver. If an upgrade breaks one of these, the store's
promises are void, whatever its own tests say."""

from __future__ import annotations

import asyncio
import warnings
from datetime import timedelta
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from belief_memory.errors import StoreError
from belief_memory.store.lance import driver_errors
from belief_memory.store.lance.schema import PRIMARY_KEY, ledger_schema
from belief_memory.store.lance.table import fenced
from belief_memory.testing.strategies import HOSTILE

KEYED = ledger_schema("alice", "ledger")
UNKEYED = pa.schema([field.remove_metadata() for field in KEYED], metadata=KEYED.metadata)


def rows(*ids: str, schema: pa.Schema = KEYED) -> pa.Table:
    return pa.Table.from_pylist(
        [{"id": name, "kind": "version", "seq": 1} for name in ids], schema=schema
    )


async def connect(folder: Path) -> lancedb.AsyncConnection:
    return await lancedb.connect_async(str(folder), read_consistency_interval=timedelta(0))


async def ids(table: lancedb.AsyncTable) -> list[str]:
    return sorted((await table.query().select(["id"]).to_arrow()).column("id").to_pylist())


@pytest.mark.parametrize(
    "source", [["c1"], ["c1", "new 1", "new 2"], ["new 1", "c1"], ["c2", "vold"], ["c2", "c1"]]
)
async def test_a_fenced_merge_that_meets_any_row_writes_nothing(
    tmp_path: Path, source: list[str]
) -> None:
    table = await (await connect(tmp_path)).create_table("t", data=rows("c1", "vold"))
    version = await table.version()
    with pytest.raises(RuntimeError) as failed:
        await fenced(table).execute(rows(*source))
    assert driver_errors.taken_id(failed.value) in ("c1", "vold")
    assert await ids(table) == ["c1", "vold"]
    assert await table.version() == version


async def test_a_fenced_merge_of_new_rows_inserts_them_all(tmp_path: Path) -> None:
    table = await (await connect(tmp_path)).create_table("t", data=rows("c1"))
    done = await fenced(table).execute(rows("c2", "a", "b"))
    assert (done.num_inserted_rows, done.num_updated_rows) == (3, 0)
    assert done.version == await table.version()
    assert await ids(table) == ["a", "b", "c1", "c2"]


@pytest.mark.parametrize("text", HOSTILE)
async def test_the_row_in_the_way_is_named_whatever_its_id(tmp_path: Path, text: str) -> None:
    table = await (await connect(tmp_path)).create_table("t", data=rows(text))
    with pytest.raises(RuntimeError) as failed:
        await fenced(table).execute(rows("new", text))
    assert driver_errors.taken_id(failed.value) is not None
    assert str(driver_errors.translated(failed.value, "committing")) == (
        "committing failed: RuntimeError: lance error: LanceError(Arrow): Cast error: "
        "Cannot cast string … to value of Int32 type"
    )


async def rivals(folder: Path, schema: pa.Schema, rounds: int) -> int:
    """How many of so many rounds end with one new key in the table twice."""
    first = await connect(folder)
    table = await first.create_table("t", data=rows("c0", schema=schema))
    tables = [table, *[await (await connect(folder)).open_table("t") for _ in range(3)]]
    for number in range(rounds):
        plans = [rows(f"c{number + 1}", f"{number} {n}", schema=schema) for n in range(4)]
        await asyncio.gather(
            *(fenced(rival).execute(plan) for rival, plan in zip(tables, plans, strict=True)),
            return_exceptions=True,
        )
    found = await ids(table)
    assert {f"c{number + 1}" for number in range(rounds)} <= set(found)
    return sum(found.count(f"c{number + 1}") > 1 for number in range(rounds))


async def test_the_key_in_the_schema_keeps_rivals_from_inserting_one_id_twice(
    tmp_path: Path,
) -> None:
    assert await rivals(tmp_path / "keyed", KEYED, 10) == 0
    assert await rivals(tmp_path / "unkeyed", UNKEYED, 10) > 0, "the control: it takes the key"


async def test_the_key_and_the_owner_are_in_the_schema_that_is_read_back(tmp_path: Path) -> None:
    table = await (await connect(tmp_path)).create_table("t", data=rows("c1"))
    schema = (await table.query().to_arrow()).schema
    assert schema.metadata == KEYED.metadata
    assert schema.field("id").metadata[PRIMARY_KEY] == b"true"


async def test_the_drivers_words_are_understood(tmp_path: Path) -> None:
    connection = await connect(tmp_path)
    with pytest.raises(ValueError, match="not found") as absent:
        await connection.open_table("t")
    assert driver_errors.kind_of(absent.value) == "absent"
    table = await connection.create_table("t", data=rows("c1"))
    with pytest.raises(ValueError, match="exists") as exists:
        await connection.create_table("t", data=rows("c1"))
    assert driver_errors.kind_of(exists.value) == "exists"
    stale = await (await lancedb.connect_async(str(tmp_path))).open_table("t")
    for name in "ab":
        await fenced(table).execute(rows(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        await table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    with pytest.raises(RuntimeError) as cleaned:
        await stale.query().to_arrow()
    assert driver_errors.kind_of(cleaned.value) == "gone"
    await connection.drop_table("t")
    with pytest.raises(RuntimeError) as dropped:
        await table.query().to_arrow()
    assert driver_errors.kind_of(dropped.value) in ("gone", "absent")


def test_a_translated_error_is_ours_and_has_no_quoted_text() -> None:
    error = driver_errors.translated(RuntimeError("bad value 'my secret' here"), "reading")
    assert isinstance(error, StoreError)
    assert "secret" not in str(error)
    assert "reading" in str(error)
