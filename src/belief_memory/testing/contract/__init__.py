"""The contract of stores, as tests. Subclass :class:`StoreContract` and give it a fixture
``make_store``; every call of it makes another handle on the same storage, which starts out
empty for each test and is not opened yet::

    class TestMyStore(StoreContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            return lambda **options: MyStore(tmp_path / "store", **options)

``make_store(read_only=True)`` makes a handle that may not write. Needs pytest-asyncio.
"""

from belief_memory.testing.contract.episodes import EpisodesContract
from belief_memory.testing.contract.handles import MakeStore, Opened, by_id, held, history
from belief_memory.testing.contract.lookups import LookupsContract
from belief_memory.testing.contract.races import RacesContract
from belief_memory.testing.contract.reading import ReadingContract
from belief_memory.testing.contract.stores import StoresContract
from belief_memory.testing.contract.upkeep import UpkeepContract
from belief_memory.testing.contract.writing import WritingContract


class StoreContract(
    WritingContract,
    RacesContract,
    ReadingContract,
    LookupsContract,
    UpkeepContract,
    StoresContract,
    EpisodesContract,
):
    """What the engine relies on, whatever the store."""


__all__ = ["MakeStore", "Opened", "StoreContract", "by_id", "held", "history"]
