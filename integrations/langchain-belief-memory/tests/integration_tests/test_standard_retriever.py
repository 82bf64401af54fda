"""LangChain's own conformance suite for retrievers, over a folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory
from langchain_tests.integration_tests import RetrieversIntegrationTests

from langchain_belief_memory import BeliefRetriever


class TestBeliefRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _memory(self, tmp_path: Any) -> Iterator[None]:
        with BeliefMemory.open(tmp_path) as memory:
            alice = memory.for_user("alice")
            for name in ("quokka", "wombat", "numbat", "dingo"):
                alice.remember(name, f"Everything about {name}.")
            self.memory = memory
            yield

    @property
    def retriever_constructor(self) -> type[BeliefRetriever]:
        return BeliefRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self.memory, "user_id": "alice"}

    @property
    def retriever_query_example(self) -> str:
        return "Compare quokka, wombat, numbat and dingo."
