"""What the parts of the contract share: how handles come about, and short reads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import pytest
import pytest_asyncio

from belief_memory.model.belief import Belief
from belief_memory.ports import LedgerStore, Store, VersionFilter


class MakeStore(Protocol):
    """Makes another handle on the same storage."""

    def __call__(self, *, read_only: bool = False) -> Store: ...


Opened = Callable[..., Awaitable[Store]]


def by_id(versions: tuple[Belief, ...] | list[Belief]) -> dict[str, Belief]:
    """Versions by version id; fails if one is there twice."""
    found = {version.version_id: version for version in versions}
    assert len(found) == len(versions), "a version was returned twice"
    return found


async def held(ledger: LedgerStore) -> dict[str, Belief]:
    """Everything held, by version id."""
    delta = await ledger.read()
    assert delta is not None
    assert delta.whole
    return by_id(delta.held)


async def history(ledger: LedgerStore) -> list[Belief]:
    """Every version."""
    return await ledger.versions(VersionFilter())


class Handles:
    """The fixtures that every part of the contract uses."""

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """Overridden: makes another handle on the same storage."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def opened(self, make_store: MakeStore) -> AsyncIterator[Opened]:
        """Opens another handle; all are closed after the test."""
        stores: list[Store] = []

        async def one_more(**options: bool) -> Store:
            store = make_store(**options)
            await store.open()
            stores.append(store)
            return store

        yield one_more
        for store in stores:
            await store.close()
