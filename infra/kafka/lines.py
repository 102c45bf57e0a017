"""Lines of a file as records: the bytes as they are, with the key that the topic's contract names.

Data flow: newline-separated bytes -> (key, value, event_id)
Run: daybreak send orders events.jsonl
"""

import json
from collections.abc import Iterator
from typing import BinaryIO


def lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines without their newline; nothing else is removed, and invalid UTF-8 is kept."""
    for line in source:
        yield line.removesuffix(b"\n")


def read_key(value: bytes, field: str) -> tuple[bytes | None, str | None]:
    """Key and event_id from `value`, each None if it cannot be read: a malformed record must still reach Kafka."""
    try:
        event = json.loads(value.decode())
        key, event_id = event.get(field), event.get("event_id")
        return key.encode() if isinstance(key, str) else None, event_id if isinstance(event_id, str) else None
    except (ValueError, AttributeError, RecursionError):
        return None, None
