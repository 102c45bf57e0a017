"""A receiver of what goes out: an HTTP server on loopback that keeps each request, and answers as the test says; a mail server.

Data flow: POST, SMTP -> lists of what came
Run: pytest tests/streaming/notify
"""

import json
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from streaming.webhooks.signature import ID


@dataclass
class Post:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers[ID]

    @property
    def said(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass
class Receiver:
    """`answer` says what a request gets: status, headers, body. `taken`: those of `posts` that got 2xx."""

    port: int
    answer: Callable[[Post], tuple[int, dict[str, str], bytes]] = lambda post: (204, {}, b"")
    posts: list[Post] = field(default_factory=list)
    taken: list[Post] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/daybreak"

    @contextmanager
    def there(self, tls: ssl.SSLContext | None = None) -> Iterator[None]:
        """It listens in this block; before and after, connections are refused."""
        own = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                body = self.rfile.read(length)
                if len(body) < length:
                    # Its sender was killed in the middle: nobody takes half a request.
                    self.close_connection = True
                    return
                post = Post(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                own.posts.append(post)
                status, headers, said = own.answer(post)
                if 200 <= status < 300:
                    own.taken.append(post)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204 and "content-length" not in headers:
                    self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, format: str, *args: Any) -> None: ...

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                """A sender that was killed does not wait for its answer."""

        with Server(("127.0.0.1", self.port), Handler) as server:
            if tls:
                server.socket = tls.wrap_socket(server.socket, server_side=True)
            # Connections that are kept open do not hold up the end.
            server.daemon_threads, server.block_on_close = True, False
            thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            try:
                yield
            finally:
                server.shutdown()
                thread.join()


def receiver() -> Receiver:
    """One that does not listen yet."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return Receiver(free.getsockname()[1])


@dataclass
class Mailbox:
    """What came by mail; `answers` are what the next mails get instead of 250."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.answers:
            return self.answers.pop(0)
        content = envelope.content
        assert isinstance(content, bytes)
        self.mails.append(message_from_bytes(content, policy=policy.default))  # type: ignore[arg-type]
        return "250 taken"

    @contextmanager
    def there(self, **options: Any) -> Iterator[None]:
        """A mail server in this block; `options` are aiosmtpd's."""
        if not self.port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        server = Controller(self, hostname="127.0.0.1", port=self.port, **options)
        server.start()
        try:
            yield
        finally:
            server.stop()
