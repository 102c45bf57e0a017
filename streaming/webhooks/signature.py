"""The signature of a webhook: HMAC-SHA256 over its id, its time and its body.

Data flow: secret, webhook-id, webhook-timestamp, body -> webhook-signature; checked in constant time
Run: pytest tests/streaming/webhooks/test_signature.py
Source: Standard Webhooks, whose libraries sign so: secrets `whsec_<base64>`, signatures `v1,<base64>`, several apart by a space.

The address is not signed, by that standard. Whoever could read a request could send it again within TOLERANCE_SECONDS: to its own
topic, where its event_id counts once, or to another topic of the same sender, whose contract rejects an event that is not its.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

from streaming.webhooks.refused import Refused, Why

ID, TIME, SIGNATURE, SENDER = "webhook-id", "webhook-timestamp", "webhook-signature", "webhook-sender"
"""The headers; `webhook-sender` is ours, and names whose secret signs."""
PREFIX = "whsec_"
SECRET_BYTES = 32
TOLERANCE_SECONDS = 300
MOST_SIGNATURES = 5
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
"""Without a dot: the three parts are signed with dots between them, and a dot in an id could move the borders."""
_TIME = re.compile(r"[0-9]{1,12}")


def new_secret() -> str:
    """A random secret, as a sender's library takes it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def key_of(secret: str) -> bytes:
    """The bytes that sign. Raises ValueError where it is no secret."""
    try:
        found = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as wrong:
        raise ValueError(f"a secret is {PREFIX} and base64") from wrong
    if not secret.startswith(PREFIX) or len(found) < 24:
        raise ValueError(f"a secret is {PREFIX} and base64 of at least 24 bytes")
    return found


def sign(key: bytes, identity: str, seconds: int | str, body: bytes) -> str:
    """The value of `webhook-signature`; `seconds`: since 1970, as in `webhook-timestamp`."""
    signed = hmac.digest(key, f"{identity}.{seconds}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(signed).decode()


def verify(
    keys: Iterable[bytes], identity: str | None, seconds: str | None, signatures: str | None, body: bytes, now: float
) -> None:
    """Raises Refused unless one of the signatures is one key's over this id, time and body, and the time is near `now`."""
    if not (identity and seconds and signatures):
        raise Refused(
            Why.UNSIGNED,
            f"a request needs the headers {SENDER}, {ID}, {TIME} and {SIGNATURE}: sign it as Standard Webhooks says",
        )
    given = [one.encode() for one in signatures.split(" ")[:MOST_SIGNATURES]]
    is_formed = _ID.fullmatch(identity) and _TIME.fullmatch(seconds)
    # All are compared, so that how long it takes says nothing.
    matches = [
        hmac.compare_digest(sign(key, identity, seconds, body).encode(), one)
        for key in keys
        for one in (given if is_formed else ())
    ]
    if not any(matches):
        raise Refused(
            Why.BAD_SIGNATURE,
            f"the signature is none of this sender's over `{ID}.{TIME}.body`: sign the body's very bytes with the sender's "
            f"secret; an id has letters, digits, _ and - only. A lost secret: daybreak webhooks rotate SENDER",
        )
    # After the signature: only who has the secret may learn what our clock says.
    if abs(now - int(seconds)) > TOLERANCE_SECONDS:
        raise Refused(
            Why.BAD_TIME,
            f"{TIME} is {now - int(seconds):+.0f} s from our clock, more than {TOLERANCE_SECONDS} s: sign each attempt anew, "
            "and set the sender's clock",
        )
