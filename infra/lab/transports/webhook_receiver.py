"""The consumer's end of a webhook: an HTTP server that answers 204 after the work, and not before.

Data flow: POST -> work -> 204
Run: daybreak lab direct
"""

import select
import socketserver
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from infra.lab.transports.transport import POLL_SECONDS, Wire, Work


class WebhookReceiver(socketserver.TCPServer):
    """Serves one connection at a time: there is one producer, and the order of its posts is kept."""

    # A successor listens on the port of a consumer that was killed a moment ago.
    allow_reuse_address = True
    timeout = POLL_SECONDS

    def __init__(self, wire: Wire, consumer: int, first: int) -> None:
        self.work: Work
        self.leaving: Callable[[], bool]
        super().__init__((wire.host, wire.port + consumer), Post)

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each post. A post that comes after leaving is refused."""
        self.work, self.leaving = work, leaving
        with self:
            while not leaving():
                self.handle_request()


class Post(BaseHTTPRequestHandler):
    """One connection, which stays open between two posts."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: WebhookReceiver

    def handle(self) -> None:
        """Answer posts until the connection ends, or the consumer leaves."""
        self.close_connection = False
        while not self.close_connection and not self.server.leaving():
            if select.select([self.connection], [], [], POLL_SECONDS)[0]:
                self.handle_one_request()

    def do_POST(self) -> None:
        """Work, then answer."""
        self.server.work(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response_only(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the ledger has what was processed."""
