"""A client of the SDK's own, connected to a server of ours."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, Tool

from belief_memory import AsyncBeliefMemory, AsyncUserMemory
from belief_memory.mcp.server import create_server


class Caller:
    """Calls tools by name, as a model does."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in (await self.client.list_tools()).tools}

    async def result(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(tool, arguments)

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """What a model reads."""
        result = await self.result(tool, **arguments)
        assert not result.is_error, result.content
        return result.content[0].text

    async def record(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """What a program reads."""
        result = await self.result(tool, **arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def error(self, tool: str, /, **arguments: Any) -> str:
        result = await self.result(tool, **arguments)
        assert result.is_error
        return result.content[0].text


Connect = Callable[..., AbstractAsyncContextManager[Caller]]


@pytest.fixture(params=["memory", "folder"])
async def memory(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[AsyncBeliefMemory]:
    uri = "memory://" if request.param == "memory" else str(tmp_path / "beliefs")
    async with AsyncBeliefMemory.open(uri) as opened:
        yield opened


@pytest.fixture
def connect() -> Connect:
    @asynccontextmanager
    async def connected(user: AsyncUserMemory, **options: Any) -> AsyncIterator[Caller]:
        async with Client(create_server(user, **options)) as client:
            yield Caller(client)

    return connected
