"""Everything a store's files say: their bytes, and what the driver reads out of them."""

from __future__ import annotations

import os
from pathlib import Path

import lancedb
import pyarrow as pa
from lance.file import LanceFileReader


async def decoded(folder: Path) -> str:
    """All text under ``folder``: names, bytes, schemas, and the decoded rows of every
    data file, deleted rows and old versions included."""
    found = [all_bytes(folder)]
    for place, names, files in os.walk(folder):
        found += names + files
        if place.endswith(".lance"):
            found += await every_version(Path(place))
    return "\n".join(found)


def all_bytes(folder: Path) -> str:
    parts = []
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                parts.append(file.read().decode("latin-1"))
    return "\n".join(parts)


async def every_version(table_folder: Path) -> list[str]:
    """The rows of every version of a table that is still on disk, deleted rows too."""
    connection = await lancedb.connect_async(str(table_folder.parent))
    table = await connection.open_table(table_folder.name.removesuffix(".lance"))
    found = []
    for version in await table.list_versions():
        await table.checkout(version["version"])
        found.append(repr((await table.schema()).metadata))
        found.append(repr((await table.query().to_arrow()).to_pylist()))
    found += data_files(table_folder)
    return found


def data_files(table_folder: Path) -> list[str]:
    """The rows of every data file, whether or not any version refers to it or a deletion
    hides them."""
    found = []
    for name in os.listdir(table_folder / "data"):
        reader = LanceFileReader(str(table_folder / "data" / name))
        rows: pa.Table = reader.read_all().to_table()
        found.append(repr(rows.to_pylist()))
    return found
