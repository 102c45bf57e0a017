"""Protobuf messages as JSON text, so that one validation serves all encodings.

Data flow: record value (a Protobuf message) -> JSON text, or the fault -> encodings
Run: pytest tests/streaming/test_protobuf.py

A value is the message alone, which says each thing once and in the shortest form; what it says is judged like its twin in JSON.
Protobuf cannot tell an empty list from one that was left out, so an empty list is missing. A field number that the contract does
not have is an unknown field of that number.
"""

import json
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from streaming.encodings.proto_schemas import message_class
from streaming.reasons import Reason


def encode(topic: str, event: Mapping[str, Any]) -> bytes:
    """An event as a message of the topic. Raises ValueError if a field is not of the topic or not of its type."""
    try:
        message: Message = message_class(topic)(**event)
    except TypeError as failure:
        raise ValueError(str(failure)) from failure
    return bytes(message.SerializeToString())


def decode(topic: str, value: bytes) -> tuple[str | None, str | None]:
    """A value of the topic as JSON text; an empty value is empty text. Never raises."""
    if not value:
        return "", None
    message = message_class(topic)()
    try:
        message.ParseFromString(value)
    except DecodeError:
        return None, Reason.NOT_PROTOBUF.value
    # The library takes the last of two values of a field, and cuts a number to 32 bits. Then it would write other bytes; their
    # order is free, so the lengths tell.
    if message.ByteSize() != len(value):
        return None, Reason.NOT_PROTOBUF.value
    return json.dumps(_said(message), ensure_ascii=False, separators=(",", ":")), None


def _said(message: Message) -> dict[str, Any]:
    """The fields that a message has, by name; unknown ones by their numbers."""
    found = {field.name: _plain(value, field.type == field.TYPE_MESSAGE) for field, value in message.ListFields()}
    return found | {f"field {unknown.field_number}": None for unknown in UnknownFieldSet(message)}


def _plain(value: Any, is_message: bool) -> Any:
    if not is_message:
        return list(value) if hasattr(value, "append") else value
    return _said(value) if isinstance(value, Message) else [_said(one) for one in value]
