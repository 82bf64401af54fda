"""The command, as clients meet it: over stdio and over HTTP on loopback."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from belief_memory import BeliefMemory
from tests.mcp.conftest import Caller

COMMAND = str(Path(sys.executable).with_name("belief-memory"))


# Said, not asked for: the SDK gives up asking after ten seconds, and machines can be busy.
NEWEST = MODERN_PROTOCOL_VERSIONS[-1]

STATEMENT = "Ligger i Tromsø: הבית 🏠\n</x>"


def words(folder: Path, *options: str) -> list[str]:
    return ["mcp", "--uri", str(folder), "--user", "alice", *options]


async def test_a_session_over_stdio(tmp_path: Path) -> None:
    server = StdioServerParameters(command=COMMAND, args=words(tmp_path / "m", "-s", "domain:code"))
    async with Client(stdio_client(server), mode=NEWEST) as client:
        call = Caller(client)
        assert "forget" not in await call.tools()
        assert "about" in await call.error("remember", statement="nothing")
        await call.text("remember", about="サーバー", statement=STATEMENT)
        assert "Tromsø" in await call.text("recall", query="サーバーはどこ?")
    with BeliefMemory.open(tmp_path / "m") as memory:
        (belief,) = memory.for_user("alice", scopes=["domain:code"]).beliefs()
        assert belief.scopes == ("domain:code",)
        assert belief.content == STATEMENT
        assert memory.users() == ["alice"]


async def test_a_reader_over_stdio_sees_what_others_write(tmp_path: Path) -> None:
    server = StdioServerParameters(command=COMMAND, args=words(tmp_path / "m", "--read-only"))
    with BeliefMemory.open(tmp_path / "m") as memory:
        alice = memory.for_user("alice")
        alice.remember("city", "Oslo")
        async with Client(stdio_client(server), mode="legacy") as client:
            call = Caller(client)
            assert "Oslo" in await call.text("recall", query="which city?")
            alice.remember("city", "Bergen")
            assert "Bergen" in await call.text("recall", query="which city?")
            assert "no tool" in await call.error("remember", about="city", statement="Rome")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    options = ("--transport", "streamable-http", "--port", "0", "--allow-forget")
    process = subprocess.Popen(
        [COMMAND, *words(folder, *options)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        yield process.stderr.readline().strip()
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.wait()


async def test_clients_over_http_share_one_memory(tmp_path: Path) -> None:
    with serving(tmp_path / "m") as url:
        assert url.startswith("http://127.0.0.1:")
        async with Client(url, mode=NEWEST) as one, Client(url, mode="legacy") as two:
            await Caller(one).text("remember", about="city", statement="Oslo")
            assert "Oslo" in await Caller(two).text("recall", query="which city?")
            assert (await Caller(two).record("forget", about="city"))["versions"] == 1
        async with httpx.AsyncClient() as web:
            elsewhere = await web.post(url, headers={"Host": "example.org"}, json={})
            assert elsewhere.status_code in (403, 421)
            other_page = await web.post(url, headers={"Origin": "https://example.org"}, json={})
            assert other_page.status_code == 403


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *options], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def test_what_cannot_be_served_is_one_line_and_status_2(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with_port = ("--transport", "streamable-http", "--port")
    with serving(tmp_path / "m") as url:
        port = url.split(":")[2].split("/")[0]
        taken = run(*words(tmp_path / "m", *with_port, port))
    for done in (
        taken,
        run(*words(tmp_path / "m", "--read-only", "--allow-forget")),
        run(*words(tmp_path / "m", "--scope", "bad scope")),
    ):
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("belief-memory: ")
        assert len(done.stderr.strip().splitlines()) == 1


def test_without_the_sdk_the_error_names_the_extra() -> None:
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['mcp', 'mcp_types', 'uvicorn'], None));"
        "from belief_memory.cli.app import app; app(['mcp', '--user', 'alice'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'belief-memory[mcp]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
