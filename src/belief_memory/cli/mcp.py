"""``belief-memory mcp``: one user's memory for clients of the Model Context Protocol."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated

import typer

from belief_memory import AsyncBeliefMemory
from belief_memory.cli.options import DEFAULT_URI, Port, Scopes, Uri, User, fail, one_line_errors
from belief_memory.model.scope import UNIVERSAL


class Transport(StrEnum):
    """How clients reach the server."""

    stdio = "stdio"
    http = "streamable-http"


def mcp(
    user: User,
    uri: Uri = DEFAULT_URI,
    scope: Scopes = None,
    agent: Annotated[str | None, typer.Option(help="See and write this agent's own too.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Only tools that read.")] = False,
    allow_forget: Annotated[
        bool, typer.Option("--allow-forget", help="Offer the tool that erases for good.")
    ] = False,
    transport: Annotated[Transport, typer.Option(help="stdio: the client starts this command.")] = (
        Transport.stdio
    ),
    port: Port = 8000,
) -> None:
    """Serve one user's memory to agents over the Model Context Protocol."""
    try:
        from belief_memory.mcp import server as serving
    except ImportError as error:
        fail(f"this command needs the MCP SDK: pip install 'belief-memory[mcp]' ({error})")

    async def serve() -> None:
        async with AsyncBeliefMemory.open(uri, read_only=read_only) as memory:
            # Identity is said here, once, and by nobody else.
            bound = memory.for_user(user, scopes=scope or [UNIVERSAL], agent_id=agent)
            server = serving.create_server(bound, read_only=read_only, allow_forget=allow_forget)
            if transport is Transport.stdio:
                await serving.serve_stdio(server)
            else:
                await serving.serve_http(server, port, ready=lambda url: typer.echo(url, err=True))

    with one_line_errors():
        asyncio.run(serve())
