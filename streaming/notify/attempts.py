"""One attempt from a command: a message that tries a target, or a dead letter that is sent again.

Data flow: Target, Delivery -> POST or mail -> Outcome
Run: daybreak notify test partner
"""

import json
from datetime import UTC, datetime
from secrets import token_hex

from infra.settings import Settings
from streaming.notify.mail import Mailer
from streaming.notify.outcome import Delivery, Outcome
from streaming.notify.post import Poster
from streaming.notify.targets import Target

TEXT = "This is a message of `daybreak notify test`: what is sent comes through."


async def once(s: Settings, target: Target, delivery: Delivery) -> Outcome:
    """Try once."""
    if target.mail:
        return await Mailer(s, target.mail).attempt(delivery)
    async with Poster(target.url or "", target.secrets) as poster:
        return await poster.attempt(delivery)


def trial(target: Target) -> Delivery:
    """A message that says nothing but that it came."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    own = {"type": "test", "timestamp": now, "key": None, "data": {"text": TEXT}}
    if target.mail:
        own = {"subject": "[Daybreak] test", "text": TEXT}
    return Delivery(f"test-{token_hex(16)}", json.dumps(own).encode(), "test")
