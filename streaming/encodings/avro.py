"""Avro single-object values as JSON text, so that one validation serves both encodings.

Data flow: record value (Avro bytes) -> JSON text, or the fault -> encodings
Run: pytest tests/streaming/test_avro.py

A value is decoded by the schema that its header names, never by another version's. Fields that are null are left out of the
text, as in JSON. Bronze, archive and quarantine keep the value's own bytes.
"""

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from fastavro import schemaless_reader, schemaless_writer

from streaming.encodings import avro_schemas
from streaming.reasons import Reason

MARK = b"\xc3\x01"
"""The first two bytes of every value; the next eight name its schema."""
HEADER = len(MARK) + 8

Decoded = tuple[str | None, str | None]
"""JSON text, or the reason for which there is none."""


def encode(topic: str, event: Mapping[str, Any], version: int | None = None) -> bytes:
    """An event as a single object, by the stored schema of its `schema_version`, or of another `version`.

    Fields that the event lacks are written as their defaults. Raises ValueError if the event does not fit the schema.
    """
    header, schema = avro_schemas.writers(topic)[version or event["schema_version"]]
    body = BytesIO()
    schemaless_writer(body, schema, event)
    return MARK + header + body.getvalue()


def decode(topic: str, value: bytes) -> Decoded:
    """A value of the topic as JSON text; an empty value is empty text. Never raises."""
    if not value:
        return "", None
    if not value.startswith(MARK) or len(value) < HEADER:
        return None, Reason.NOT_AVRO.value
    schema = avro_schemas.by_fingerprint(topic).get(value[len(MARK) : HEADER])
    if schema is None:
        return None, Reason.UNKNOWN_SCHEMA.value
    body = BytesIO(value[HEADER:])
    try:
        event: Any = schemaless_reader(body, schema, None)
    except Exception:  # The library has no list of what it raises on bytes that are not Avro.
        return None, Reason.NOT_AVRO.value
    if body.read(1):
        return None, Reason.NOT_AVRO.value
    written = {name: field for name, field in event.items() if field is not None}
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")), None
