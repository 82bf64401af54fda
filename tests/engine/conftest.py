"""An object store for the tests of rivals: moto's server, on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.store.buckets import Buckets


@pytest.fixture(scope="session")
def buckets() -> Iterator[Buckets]:
    with Buckets.served() as buckets:
        yield buckets
