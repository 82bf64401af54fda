"""LangChain and LangGraph agents with a memory that stays true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_belief_memory.lcel import inject_beliefs
from langchain_belief_memory.learning import LangChainEmbedder, LangChainExtractor
from langchain_belief_memory.middleware import BeliefMiddleware, Injection
from langchain_belief_memory.retriever import BeliefRetriever
from langchain_belief_memory.store import BeliefStore, ItemVersion, namespace_label
from langchain_belief_memory.tools import create_belief_tools

if TYPE_CHECKING:
    from langchain_belief_memory.chain_memory import BeliefChainMemory

__all__ = [
    "BeliefChainMemory",
    "BeliefMiddleware",
    "BeliefRetriever",
    "BeliefStore",
    "Injection",
    "ItemVersion",
    "LangChainEmbedder",
    "LangChainExtractor",
    "create_belief_tools",
    "inject_beliefs",
    "namespace_label",
]


def __getattr__(name: str) -> Any:
    # langchain-classic is an optional extra: only those who ask for it need it.
    if name == "BeliefChainMemory":
        from langchain_belief_memory.chain_memory import BeliefChainMemory

        return BeliefChainMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
