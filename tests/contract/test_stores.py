"""Every store of this package keeps the contract."""

from __future__ import annotations

import uuid
from functools import partial
from pathlib import Path

import pytest

from belief_memory.store.in_memory import InMemoryStore
from belief_memory.store.lance import LanceStore
from belief_memory.testing.contract import MakeStore, StoreContract
from tests.store.buckets import Buckets


class TestInMemory(StoreContract):
    @pytest.fixture
    def make_store(self) -> MakeStore:
        return partial(InMemoryStore, f"memory://{uuid.uuid4().hex}")


class TestFolder(StoreContract):
    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return partial(LanceStore, str(tmp_path / "beliefs"))


@pytest.mark.slow
class TestFolderThroughPowerCuts(StoreContract):
    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return partial(LanceStore, str(tmp_path / "beliefs"), durability="power")


class TestObjectStorage(StoreContract):
    @pytest.fixture
    def make_store(self, buckets: Buckets) -> MakeStore:
        return partial(LanceStore, buckets.new(), storage_options=buckets.options)
