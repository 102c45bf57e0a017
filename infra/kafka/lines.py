"""Lines of a file as records: the bytes as they are, with the key that the topic's contract names.

Data flow: newline-separated bytes -> (key, value, event_id)
Run: daybreak send orders events.jsonl
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO


def lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines without their newline; nothing else is removed, and invalid UTF-8 is kept."""
    for line in source:
        yield line.removesuffix(b"\n")


def read_key(value: bytes, field: str) -> tuple[bytes | None, str | None]:
    """Key and event_id from `value`, each None if it cannot be read: a malformed record must still reach Kafka."""
    try:
        return key_of(json.loads(value.decode()), field)
    except (ValueError, AttributeError, RecursionError):
        return None, None


def key_of(event: Mapping[str, Any], field: str) -> tuple[bytes | None, str | None]:
    """The same of a decoded object. Raises UnicodeEncodeError for a key with half a character."""
    key, event_id = event.get(field), event.get("event_id")
    return key.encode() if isinstance(key, str) else None, event_id if isinstance(event_id, str) else None
