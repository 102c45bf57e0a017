"""What a request carries: a body of a limited size, and in it the key and the id of one event.

Data flow: an HTTP request -> body (bytes); body, contract -> key
Run: pytest tests/streaming/webhooks/test_app.py

Only what is needed to store the event is looked at: an event without a key or an id could not be found again or counted once. All
else is for the contract to say, and for the stream, which checks it as that of any producer.
"""

import asyncio
import json

from starlette.requests import ClientDisconnect, Request

from infra.kafka.lines import key_of
from streaming.contracts.contract import Contract
from streaming.encodings.as_json import MAX_BYTES
from streaming.webhooks.refused import Refused, Why

BODY_SECONDS = 10.0
"""Longest time that a body may take to come."""


async def body_of(request: Request) -> bytes:
    """The whole body. Raises Refused if it is too large, packed, or does not come."""
    if packed := request.headers.get("content-encoding"):
        raise Refused(Why.WRONG_CONTENT_TYPE, f"content-encoding {packed!r} is not taken: send the JSON as it is")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BYTES:
        raise _too_large()
    parts, size = [], 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                size += len(part)
                if size > MAX_BYTES:
                    raise _too_large()
                parts.append(part)
    except TimeoutError:
        raise Refused(Why.TOO_SLOW, f"the body did not come within {BODY_SECONDS:.0f} s: send it again", 1) from None
    except ClientDisconnect:
        raise Refused(Why.ENDED, "the sender went away before its body had come") from None
    return b"".join(parts)


def require_json(request: Request) -> None:
    """Raises Refused unless the request says that it carries JSON."""
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise Refused(
            Why.WRONG_CONTENT_TYPE, f"content-type is {kind or 'missing'!r}: send one event as application/json"
        )


def key_in(body: bytes, contract: Contract) -> tuple[bytes, str]:
    """Key and event_id of the event in a body. Raises Refused where it is no JSON object or lacks them."""
    try:
        event = json.loads(body.decode())
    except (ValueError, RecursionError) as wrong:
        raise Refused(
            Why.NOT_JSON, f"the body is not JSON in UTF-8 ({wrong}): send one event as a JSON object"
        ) from None
    if not isinstance(event, dict):
        raise Refused(
            Why.NOT_JSON, f"the body is a JSON {type(event).__name__}: send one event as a JSON object, each by itself"
        )
    try:
        key, event_id = key_of(event, contract.key)
    except UnicodeEncodeError:
        key, event_id = None, None
    if not key or not event_id:
        lacks = contract.key if not key else "event_id"
        raise Refused(
            Why.MISSING_FIELD,
            f"the event has no text in {lacks!r}: {contract.topic!r} is keyed by {contract.key}, and event_id is what makes a "
            "retry count once",
        )
    return key, event_id


def _too_large() -> Refused:
    return Refused(
        Why.TOO_LARGE, f"a body may have {MAX_BYTES:,} bytes, as the stream takes no longer event: send a smaller one"
    )
