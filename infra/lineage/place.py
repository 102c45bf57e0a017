"""The place of DAYBREAK_LINEAGE, by OpenLineage's own transports: files of a folder, or a server.

Data flow: a run event -> `<folder>/<program>-<UTC day>.ndjson`, or POST <url>/api/v1/lineage
Run: DAYBREAK_LINEAGE=/var/lib/daybreak/lineage daybreak up
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from openlineage.client.event_v2 import RunEvent
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from requests import HTTPError

from infra.settings import Settings

Send = Callable[[RunEvent], object]

SECONDS = 5.0
"""How long a server may take for an event."""
AGAIN = frozenset({408, 425, 429})
"""Answers of the client's fault that another try may cure."""


class Refused(Exception):
    """The server takes no such event: another try would change nothing."""


def sender(s: Settings, program: str) -> Send:
    """What delivers one event. It raises Refused, or anything else if another try may help."""
    return _to_server(s) if urlsplit(s.lineage).scheme else _to_folder(Path(s.lineage), program)


def _to_folder(folder: Path, program: str) -> Send:
    def send(event: RunEvent) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # A file per day: the stream's would grow for ever, and nobody could remove what is old.
        file = folder / f"{program}-{datetime.now(UTC):%Y-%m-%d}.ndjson"
        FileTransport(FileConfig(str(file), append=True)).emit(event)

    return send


def _to_server(s: Settings) -> Send:
    url, key = urlsplit(s.lineage), s.lineage_key.get_secret_value()
    config = {
        "url": f"{url.scheme}://{url.netloc}",
        # A server behind a proxy has a path of its own: then the URL is the whole address.
        "endpoint": f"{url.path}{f'?{url.query}' if url.query else ''}" if url.path.strip("/") else "api/v1/lineage",
        "timeout": SECONDS,
        "auth": {"type": "api_key", "api_key": key} if key else {},
        # The emitter tries again, and knows when to stop.
        "retry": {"total": 0},
    }
    transport = HttpTransport(HttpConfig.from_dict(config))

    def send(event: RunEvent) -> None:
        try:
            transport.emit(event)
        except HTTPError as answer:
            status = answer.response.status_code if answer.response is not None else 0
            if status // 100 == 4 and status not in AGAIN:
                raise Refused(str(answer)) from answer
            raise

    return send
