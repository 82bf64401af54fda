"""A LangGraph store over the ledger."""

from langchain_belief_memory.store.base import BeliefStore
from langchain_belief_memory.store.items import ItemVersion
from langchain_belief_memory.store.namespaces import namespace_label

__all__ = ["BeliefStore", "ItemVersion", "namespace_label"]
