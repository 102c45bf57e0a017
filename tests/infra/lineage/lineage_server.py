"""A collector of lineage: a real HTTP server that takes events, refuses them, or keeps silent.

Data flow: POST -> the events that it took, each with path and key
Run: pytest tests/infra/lineage
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Collector(ThreadingHTTPServer):
    """`answers`: the status of each next request, then always 201."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.answers: list[int] = []
        self.taken: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str | None]] = []
        self.goes_on = threading.Event()
        self.goes_on.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def types(self) -> list[str]:
        return [event["eventType"] for event in self.taken]


class Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"]))
        self.server.goes_on.wait(20)
        status = self.server.answers.pop(0) if self.server.answers else 201
        if status < 300:
            self.server.taken.append(event)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *said: Any) -> None:
        pass


@contextmanager
def collector(port: int = 0) -> Iterator[Collector]:
    """A collector that listens until the end of this block."""
    with Collector(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.goes_on.set()
            server.shutdown()
            thread.join()
