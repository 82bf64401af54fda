"""The board on loopback, with the standard library: each request is a fresh look."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from belief_memory import BeliefMemoryError
from belief_memory.board.assets import POLICY
from belief_memory.board.page import render_page
from belief_memory.board.view import Board

LOOPBACK = "127.0.0.1"
_NAMES = frozenset({LOOPBACK, "localhost"})


class BoardServer(ThreadingHTTPServer):
    """Serves ``/`` (the page) and ``/data.json`` (what is behind it), and nothing else.

    Listens on loopback. Requests that name another host are refused: a page elsewhere could
    otherwise have its own name resolve to this machine and read the board.
    """

    daemon_threads = True

    def __init__(self, look: Callable[[], Board], port: int = 0) -> None:
        """
        Args:
            look: gives the board as it is now; called from several threads.
            port: where to listen; 0 takes any free port.

        Raises:
            OSError: the port is taken.
        """
        super().__init__((LOOPBACK, port), _Handler)
        self.look = look

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    server: BoardServer
    server_version = "belief-memory"
    sys_version = ""

    def do_GET(self) -> None:
        if self.headers.get("Host", "").partition(":")[0].lower() not in _NAMES:
            self._answer(HTTPStatus.FORBIDDEN, "text/plain", "This is not the host you named.\n")
            return
        path = self.path.partition("?")[0]
        if path not in ("/", "/data.json"):
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", "There is / and /data.json.\n")
            return
        try:
            board = self.server.look()
        except (BeliefMemoryError, OSError) as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, "text/plain", f"{error}\n")
            return
        if path == "/":
            self._answer(HTTPStatus.OK, "text/html", render_page(board))
        else:
            text = json.dumps(board.to_json(), ensure_ascii=False, indent=2)
            self._answer(HTTPStatus.OK, "application/json", text)

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what is asked for is the user's own business."""

    def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
