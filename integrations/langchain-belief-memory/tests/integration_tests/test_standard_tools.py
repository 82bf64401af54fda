"""LangChain's own conformance suites for tools, over a folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from belief_memory import BeliefMemory
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from langchain_belief_memory import create_belief_tools

EXAMPLES: dict[str, dict[str, Any]] = {
    "recall": {"query": "What is quokka?"},
    "remember": {"about": "emu", "statement": "Emu is the parser.", "aliases": ["E"]},
    "correct": {"about": "quokka", "statement": "Quokka is the queue."},
    "history": {"about": "quokka"},
}


class Tool:
    @pytest.fixture(autouse=True, params=EXAMPLES)
    def _memory(self, request: Any, tmp_path: Any) -> Iterator[None]:
        with BeliefMemory.open(tmp_path) as memory:
            memory.for_user("alice").remember("quokka", "Quokka is the cache.")
            [self.tool_constructor] = create_belief_tools(
                memory, user_id="alice", tools=[request.param]
            )
            self.tool_invoke_params_example = EXAMPLES[request.param]
            yield

    tool_constructor: Any = None
    tool_invoke_params_example: Any = None


class TestBeliefToolsUnit(Tool, ToolsUnitTests):
    pass


class TestBeliefToolsIntegration(Tool, ToolsIntegrationTests):
    pass
