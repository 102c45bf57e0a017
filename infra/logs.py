"""A program's log: sentences for people, or with DAYBREAK_LOG_FORMAT=json an object per line for a collector.

Data flow: what a program says, what libraries log, the exception that ends it -> standard error -> `<home>/logs/<program>.log`
Run: DAYBREAK_LOG_FORMAT=json daybreak up

An object has `time` (UTC), `level`, `logger`, `message`, `exception` with its traceback where there is one, and `id`: the
micro-batch `ingest/<generation>/<number>` or the night `night/<day>` that the process was at when it said it, else null.
"""

import json
import logging
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

Form = Literal["text", "json"]

OURS = "daybreak"
"""Who speaks, where nothing else is said; loggers of other parts are below it."""
LEVELS = {"WARNING": "WARN", "CRITICAL": "FATAL"}
"""Python's names, as Log4j calls them, which writes the JVM's lines of the same log."""
_at: list[str] = []
"""The micro-batch or night that this process is at, or was at last; it has one at a time."""


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, str | None] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": LEVELS.get(record.levelname, record.levelname),
            "logger": record.name,
            "message": record.getMessage(),
            "id": _at[0] if _at else None,
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found)


_handler = logging.StreamHandler()
_handler.setFormatter(_Json())


def is_json() -> bool:
    """Has this process begun to write objects?"""
    return _handler in logging.getLogger().handlers


def begin(form: Form) -> None:
    """From here on all that this process and its libraries say has this form; text is as it was."""
    if form == "text" or is_json():
        return
    _handler.setStream(sys.stderr)
    logging.basicConfig(handlers=[_handler], level=logging.WARNING, force=True)
    logging.getLogger(OURS).setLevel(logging.INFO)
    logging.captureWarnings(True)
    sys.excepthook = _ended
    threading.excepthook = lambda of: _ended(of.exc_type, of.exc_value, of.exc_traceback)


def at(work: str) -> None:
    """From here on this process is at this micro-batch or night."""
    _at[:] = [work]


def line(said: str, source: str = OURS, level: int = logging.WARNING, text: str | None = None) -> None:
    """Say a sentence. `source`: who speaks, as words (`daybreak stream`). `text`: its form for people, on standard output;
    by default `source: said`, on standard error."""
    if is_json():
        logging.getLogger(source.replace(" ", ".")).log(level, "%s", said)
    elif text is None:
        print(f"{source}: {said}", file=sys.stderr, flush=True)
    else:
        print(text, flush=True)


def said_by_us(written: str) -> str | None:
    """The sentence in a line of a log that one of our programs said for itself, in either form; None in any other."""
    if written.startswith(f"{OURS}: "):
        return written.removeprefix(f"{OURS}: ")
    try:
        found = json.loads(written) if written.startswith("{") else {}
    except ValueError:
        return None
    return str(found["message"]) if found.get("logger") == OURS and "exception" not in found else None


def _ended(kind: type[BaseException], failure: BaseException | None, trace: TracebackType | None) -> None:
    if failure is None or issubclass(kind, (KeyboardInterrupt, SystemExit)):
        return
    logging.getLogger(OURS).error("%s: %s", kind.__name__, failure, exc_info=(kind, failure, trace))
