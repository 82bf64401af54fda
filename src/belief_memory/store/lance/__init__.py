"""Ledgers in LanceDB: a folder, object storage, or LanceDB Cloud / Enterprise.

lancedb and pyarrow are imported when a store is opened, not before.
"""

from belief_memory.store.lance.store import LanceStore

__all__ = ["LanceStore"]
