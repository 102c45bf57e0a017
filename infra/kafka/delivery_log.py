"""The ledger: what was sent, where the broker put it, and under which checksum.

Data flow: delivery reports -> one JSON line per record -> whoever audits the lake
Run: daybreak send orders events.jsonl --ledger ledger.jsonl
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

ACKED = "acked"
"""The outcome of a record that the broker has taken; every other outcome is the error's name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger. `partition` and `offset` are -1 for a record that was not taken.

    `key` and `value` are only there when the ledger was kept with payloads; `sha256` is None for a tombstone.
    """

    event_id: str | None
    topic: str
    partition: int
    offset: int
    sha256: str | None
    outcome: str
    kind: str | None = None
    key: bytes | None = None
    value: bytes | None = None


class Ledger:
    """Appends entries to a file; lines of earlier runs stay. Usable as a context manager."""

    def __init__(self, path: Path, payloads: bool = False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="ascii", buffering=1 << 20)
        self._payloads = payloads

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(
        self,
        event_id: str | None,
        topic: str,
        partition: int,
        offset: int,
        outcome: str,
        kind: str | None,
        key: bytes | None,
        value: bytes | None,
    ) -> None:
        """Write one line. `key` and `value` are the bytes that were sent."""
        line: dict[str, Any] = {
            "event_id": event_id,
            "topic": topic,
            "partition": partition,
            "offset": offset,
            "sha256": None if value is None else sha256(value).hexdigest(),
            "outcome": outcome,
        }
        if kind is not None:
            line["kind"] = kind
        if self._payloads:
            line["key"] = None if key is None else b64encode(key).decode()
            line["value"] = None if value is None else b64encode(value).decode()
        self._file.write(_encode(line) + "\n")


_encode = json.JSONEncoder(separators=(",", ":")).encode


def read_ledger(path: Path, start: int = 0) -> Iterator[Entry]:
    """The entries of a ledger behind its first `start` bytes, in the order in which the broker answered."""
    with path.open(encoding="ascii") as lines:
        lines.seek(start)
        for line in lines:
            fields = json.loads(line)
            for name in ("key", "value"):
                if fields.get(name) is not None:
                    fields[name] = b64decode(fields[name])
            yield Entry(**fields)
