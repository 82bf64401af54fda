"""The same verbs, blocking. The families of verbs are made from the async ones."""

from belief_memory.sync.memory import BeliefMemory
from belief_memory.sync.user import UserMemory

__all__ = ["BeliefMemory", "UserMemory"]
