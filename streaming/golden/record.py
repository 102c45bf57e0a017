"""A record of a golden day: one line of JSON.

Data flow: Record <-> {"topic", "key", "arrival", "late_by_ms", "value"}
Run: daybreak sample --day 2026-01-31 --keys 50 --topic T

`value` is an accepted event's JSON object; of a rejected record its text, or `value_base64` where it is no text.
"""

import base64
import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

RECORDS, EXPECTED = "records.jsonl", "expected.jsonl"
"""The files of a golden day's folder."""


class Record(NamedTuple):
    """`late_by_ms`: milliseconds by which the stream found the event late; None of a rejected record.

    `value`: the event's JSON object, of a rejected record the bytes as sent, or None (a tombstone).
    """

    topic: str
    key: str | None
    arrival: datetime
    late_by_ms: int | None
    value: dict[str, Any] | bytes | None

    @property
    def line(self) -> str:
        """The record as one line, without its end."""
        head = {"topic": self.topic, "key": self.key, "arrival": self.arrival.isoformat(timespec="milliseconds")}
        if not isinstance(self.value, bytes):
            return json_text(head | {"late_by_ms": self.late_by_ms, "value": self.value})
        try:
            return json_text(head | {"late_by_ms": self.late_by_ms, "value": self.value.decode()})
        except UnicodeDecodeError:
            return json_text(
                head | {"late_by_ms": self.late_by_ms, "value_base64": base64.b64encode(self.value).decode()}
            )

    @property
    def bytes(self) -> bytes | None:
        """The value as Kafka has it."""
        return json_text(self.value).encode() if isinstance(self.value, dict) else self.value

    @classmethod
    def of(cls, line: str) -> "Record":
        """Raises ValueError if the line is no such record."""
        try:
            found = json.loads(line)
            value = base64.b64decode(found["value_base64"]) if "value_base64" in found else found["value"]
            value = value.encode() if isinstance(value, str) else value
            return cls(
                found["topic"], found["key"], datetime.fromisoformat(found["arrival"]), found["late_by_ms"], value
            )
        except (KeyError, TypeError, AttributeError) as wrong:
            raise ValueError(f"it lacks {wrong}") from wrong


def lines_of(file: Path) -> list[str]:
    """The file's lines; a text in them may have other signs that end a line in Python."""
    return file.read_text().removesuffix("\n").split("\n")


def json_text(value: Any) -> str:
    """JSON in one line, as short as it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
