"""What a receiver gets for one record: an id that is the record's own, and a body of JSON.

Data flow: record of `alerts` or `corrections`, id of its topic -> Delivery
Run: pytest tests/streaming/notify/test_envelope.py
Source: Standard Webhooks: type, timestamp, data.
"""

import json
from datetime import UTC, datetime

from confluent_kafka import Message

from streaming.notify.outcome import Delivery

TYPES = {"alerts": "alert", "corrections": "correction"}
"""Name of what is sent -> the body's `type`."""


def delivery(name: str, topic_id: str, record: Message) -> Delivery:
    """The record as a request: its value as it stands, so that no number changes, with its key and the broker's time.

    The id names the record: the topic's own id, partition and offset. A topic that was deleted and made again has another.
    """
    at = datetime.fromtimestamp(record.timestamp()[1] / 1000, UTC).isoformat(timespec="milliseconds")
    own = {"type": TYPES[name], "timestamp": at.replace("+00:00", "Z"), "key": _text(record.key())}
    head = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
    body = b"".join((head[:-1].encode(errors="replace"), b',"data":', _json(record.value()), b"}"))
    partition, offset = record.partition() or 0, record.offset() or 0
    return Delivery(f"{topic_id or name}-{partition}-{offset}", body, f"{name}/{partition}@{offset}")


def _json(value: bytes | None) -> bytes:
    """The value if it is JSON, as all that the platform writes; whatever else is there, as a text."""
    try:
        json.loads(value or b"null")
    except (ValueError, RecursionError):
        return json.dumps(_text(value)).encode()
    return value or b"null"


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="replace")
