"""One attempt to deliver by HTTP: a signed POST, and what its answer means.

Data flow: Delivery, secrets -> POST with webhook-id, webhook-timestamp, webhook-signature -> Outcome
Run: pytest tests/streaming/notify/test_post.py
Source: Standard Webhooks, whose libraries check these headers; RFC 9110, 10.2.3 Retry-After.

A receiver may be on this machine or in a private network: who may add a target may reach those anyway. No redirect is followed,
because it could lead elsewhere; no proxy is used; a certificate must be right.
"""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from types import TracebackType

import httpx

from streaming.notify.outcome import Became, Delivery, Outcome
from streaming.webhooks.senders import Secret
from streaming.webhooks.signature import ID, SIGNATURE, TIME, key_of, sign

SECONDS = 15.0
"""Longest time of an attempt, its answer included; connecting may take a third of it."""
ANSWER_BYTES, SHOWN = 65_536, 200
"""So much of an answer is read, so that its connection can be used again, and so many characters are shown."""
LATER = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS)
"""Refusals that pass: the same request may be taken later."""


class Poster:
    """A receiver's connections. Usable as an async context manager."""

    def __init__(self, url: str, secrets: Sequence[Secret], seconds: float = SECONDS) -> None:
        self._url, self._secrets, self._seconds = url, secrets, seconds
        trusted = httpx.create_ssl_context()
        # Those of the machine too: a company's own authority is there.
        trusted.load_default_certs()
        self._client = httpx.AsyncClient(
            verify=trusted,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(seconds, connect=seconds / 3),
            headers={"user-agent": "daybreak", "content-type": "application/json"},
        )

    async def attempt(self, delivery: Delivery) -> Outcome:
        """Deliver once. Signed anew each time, because a receiver refuses an old time; the id stays."""
        now = int(time.time())
        keys = [key_of(one.text) for one in self._secrets if one.until is None or now < one.until]
        signatures = " ".join(sign(key, delivery.id, now, delivery.body) for key in keys)
        headers = {ID: delivery.id, TIME: str(now), SIGNATURE: signatures}
        answered, said = None, bytearray()
        try:
            async with (
                asyncio.timeout(self._seconds),
                self._client.stream("POST", self._url, content=delivery.body, headers=headers) as answer,
            ):
                answered = answer.status_code, answer.headers.get("retry-after")
                async for part in answer.aiter_raw():
                    said += part
                    if len(said) >= ANSWER_BYTES:
                        break
        except (TimeoutError, httpx.HTTPError) as failure:
            # The status decides, however slow or broken what follows it is.
            if answered is None:
                return Outcome(Became.FAILED, _why(failure, self._seconds))
        return outcome(*answered, said[: 4 * SHOWN].decode(errors="replace"))

    async def __aenter__(self) -> "Poster":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()


def _why(failure: Exception, seconds: float) -> str:
    if isinstance(failure, TimeoutError | httpx.TimeoutException):
        return f"no answer within {seconds:g} s"
    return f"{type(failure).__name__}: {failure}"[:SHOWN]


def outcome(status: int, retry_after: str | None, said: str = "") -> Outcome:
    """What a status means: 2xx delivered; 408, 425, 429 and 5xx try again; all else is refused, redirects too."""
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Outcome(Became.DELIVERED)
    shown = "".join(sign if sign.isprintable() else " " for sign in said)[:SHOWN].strip()
    why = f"it answered {status}" + (f": {shown}" if shown else "")
    if status in LATER or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Outcome(Became.FAILED, why, seconds_in(retry_after))
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        why = f"it answered {status}, and redirects are not followed: give its own URL"
    return Outcome(Became.REFUSED, why)


def seconds_in(retry_after: str | None) -> float | None:
    """Seconds from now that a Retry-After names, which is a number or a date; None where there is none that can be read."""
    if not retry_after:
        return None
    if retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, at.replace(tzinfo=at.tzinfo or UTC).timestamp() - time.time())
