"""The board on loopback: fresh at each request, and for this machine only."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse

import pytest

from belief_memory import BeliefMemory, StoreCorrupt
from belief_memory.board import Board, look, render_page
from belief_memory.board.serving import BoardServer


class Browser:
    def __init__(self, server: BoardServer) -> None:
        self.port = server.server_port

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, str]:
        connection = HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response, body


@contextmanager
def serving(memory: BeliefMemory) -> Iterator[Browser]:
    with BoardServer(lambda: look(memory, "alice")) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Browser(server)
        finally:
            server.shutdown()
            thread.join()


def test_each_request_is_a_fresh_look(memory: BeliefMemory) -> None:
    with serving(memory) as browser:
        assert "None." in browser.ask("/")[1]
        memory.for_user("alice").remember("city", "Tromsø")
        response, body = browser.ask("/")
        assert response.status == 200
        assert body == render_page(look(memory, "alice"))
        assert json.loads(browser.ask("/data.json")[1]) == look(memory, "alice").to_json()
        assert browser.ask("/?x")[0].status == 200


def test_a_browser_is_told_to_load_and_keep_nothing(memory: BeliefMemory) -> None:
    with serving(memory) as browser:
        headers = browser.ask("/")[0].headers
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org", "", "[::", "127.0.0.2"])
def test_another_host_name_is_refused(memory: BeliefMemory, host: str) -> None:
    memory.for_user("alice").remember("city", "Oslo")
    with serving(memory) as browser:
        response, body = browser.ask("/", Host=host)
        assert response.status == 403
        assert "Oslo" not in body
        for own in ("localhost", f"127.0.0.1:{browser.port}", f"localhost:{browser.port}"):
            assert browser.ask("/", Host=own)[0].status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_nothing_can_be_changed(memory: BeliefMemory, method: str) -> None:
    with serving(memory) as browser:
        assert browser.ask("/", method)[0].status == 501
        response, body = browser.ask("/", "HEAD")
        assert (response.status, body) == (200, "")
        assert browser.ask("/../etc/passwd")[0].status == 404
        assert browser.ask("//[::")[0].status == 404


def test_a_memory_that_cannot_be_read_is_said_so() -> None:
    def broken() -> Board:
        raise StoreCorrupt("row 3 is not ours")

    with BoardServer(broken) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        response, body = Browser(server).ask("/")
        thread.join()
    assert (response.status, body) == (500, "row 3 is not ours\n")
