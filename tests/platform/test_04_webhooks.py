"""Events that come by HTTP: in the log when the answer says so, in silver once however often they are sent; bad ones nowhere."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from accounting import unaccounted
from running import Platform
from traffic import placed
from webhook_load import Answer, Load, posted, signed

from infra.kafka.delivery_log import ACKED, Ledger
from infra.services.program import Name
from infra.settings import load, settings
from streaming.webhooks.signature import key_of

pytestmark = pytest.mark.platform

SENDER = "partner"


@pytest.fixture
def webhooks(platform: Platform) -> Iterator[Platform]:
    """The platform with the option on, until the test ends; its stream goes on meanwhile."""
    pid = platform.status("stream")["pid"]
    platform.run("daybreak", "up", "--with", "webhooks", "--only", "webhooks")
    settings.cache_clear()
    yield replace(platform, settings=load())
    platform.run("daybreak", "up", "--without", "webhooks", "--only", "stream")
    settings.cache_clear()
    assert Name.WEBHOOKS not in platform.supervisor().processes()
    assert platform.status("stream")["pid"] == pid


def test_a_signed_order_counts_once_however_often_it_is_sent(webhooks: Platform) -> None:
    platform = webhooks
    secret = platform.run("daybreak", "webhooks", "add", SENDER, "--topic", "orders").stdout.strip()
    key, port = key_of(secret), platform.settings.webhooks_port
    now = datetime.now(UTC)
    orders = [placed(f"webhook {n} {now}", now) for n in range(20)]
    events = [(topic, event_id or "", value or b"") for topic, _, value, event_id, _ in orders]
    before = platform.ends()
    sent = asyncio.run(Load(port, SENDER, key, connections=4, again_every=1).run(events))
    assert sent.statuses == {"200": 40}
    with Ledger(platform.ledger, payloads=True) as ledger:
        for topic, record_key, value, event_id, kind in orders:
            for partition, offset in sent.acknowledged[event_id or ""]:
                ledger.write(event_id, topic, partition, offset, ACKED, kind, record_key, value)
    assert asyncio.run(bad(port, key, events[0][2])) == [401, 401, 404, 403, 403, 413, 415, 400, 422, 200]
    assert sum(platform.ends().values()) - sum(before.values()) == 40
    platform.wait_drained()
    wanted = {event_id for _, event_id, _ in events}
    found = Counter(row["event_id"] for row in platform.rows("silver/events", "event_id") if row["event_id"] in wanted)
    assert found == Counter(wanted)
    # Each of the 40 in bronze with its key and bytes, each of the 20 in silver with what it says.
    assert unaccounted(platform) == []
    assert secret not in platform.run("daybreak", "logs", "webhooks").stdout


async def bad(port: int, key: bytes, good: bytes) -> list[int]:
    """The statuses of requests that are not to be written, the last a check; each names what is wrong, and what helps."""
    spoilt: list[tuple[str, bytes, dict[str, str]]] = [
        ("orders", good, {"webhook_signature": "v1,AAAA"}),
        ("orders", good, {"at": "0"}),
        ("nothing", good, {}),
        ("payments", good, {}),
        ("corrections", good, {}),
        ("orders", b"[" * 70_000, {}),
        ("orders", good, {"content_type": "text/plain"}),
        ("orders", b"{", {}),
        ("orders", b"{}", {}),
        ("orders?check=1", good, {}),
    ]
    found = []
    for topic, body, more in spoilt:
        at = float(more.pop("at")) if "at" in more else None
        at_door = await asyncio.open_connection("127.0.0.1", port)
        answer: Answer = await posted(
            *at_door, f"/topics/{topic}", signed(SENDER, key, body, "msg_1", at, **more), body
        )
        assert answer.body["written"] is False
        assert len(answer.body["what"]) > 20
        found.append(answer.status)
        at_door[1].close()
    return found
