"""The only place where the rooms meet: verbs, resident ledgers, one thread."""

from belief_memory.engine.memory import AsyncBeliefMemory, MemoryStats
from belief_memory.engine.user import AsyncUserMemory

__all__ = ["AsyncBeliefMemory", "AsyncUserMemory", "MemoryStats"]
