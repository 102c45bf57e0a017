"""Markup in every text that reaches a page, as a hostile shop would send it, and a server that hears whether any of it ran.

Data flow: rows -> the same rows with markup in each text -> a page; a page that runs it -> a request to the server
Run: pytest tests/batch/report/test_hostile.py
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

KEPT = ("archive", "stream", "log", "ingest", "bronze/events", "silver/events")
"""Words of the program's own, which decide what is drawn, and come from no event."""


class Ears:
    """A server on this machine; `heard` are the paths that somebody asked it for."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.at = f"http://127.0.0.1:{server.server_port}"
        self.heard: list[str] = []

    @property
    def markup(self) -> str:
        """It asks the server for something, by each of the ways that markup has, and writes into the page's title."""
        runs = f"document.title=1;new Image().src=&quot;{self.at}/ran&quot;"
        return (
            f'"><img src={self.at}/image onerror="{runs}"><svg onload="{runs}"></svg><iframe src={self.at}/frame></iframe>'
            f"<link rel=stylesheet href={self.at}/style><style>@import url({self.at}/import);</style><base href={self.at}/base>"
            f"<details open ontoggle=\"{runs}\"></details><form action={self.at}/form><button autofocus onfocus='{runs}'></form>"
            f"</script><script>document.title=1;fetch('{self.at}/fetched')</script><!--<script>'\\${{1}}`&lt;&amp;"
        )


@contextmanager
def ears() -> Iterator[Ears]:
    """It listens for as long as the block lasts."""

    class Notes(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            own.heard.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Notes) as server:
        own = Ears(server)
        Thread(target=server.serve_forever, daemon=True).start()
        yield own
        server.shutdown()


def hostile(part: Any, markup: str) -> Any:
    """The same with markup behind each text, however deep; of Arrow's tables texts are names of our own tables."""
    if isinstance(part, str):
        return part if part in KEPT else f"{part}{markup}"
    if isinstance(part, dict):
        return {name: hostile(value, markup) for name, value in part.items()}
    if isinstance(part, tuple | list):
        return type(part)(hostile(value, markup) for value in part)
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return dataclasses.replace(part, **{
            field.name: hostile(getattr(part, field.name), markup) for field in dataclasses.fields(part)
        })  # fmt: skip
    return part
