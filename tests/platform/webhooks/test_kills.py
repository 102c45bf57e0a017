"""The webhooks and the broker die at random moments while orders come by HTTP: each acknowledged one is in silver once.

DAYBREAK_SOAK_SEED (printed) gives the same deaths again, DAYBREAK_SOAK_ORDERS how many orders.
"""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from threading import Thread

import pytest
from running import Platform
from traffic import placed
from webhook_load import Load, quantile

from streaming.webhooks.signature import key_of

pytestmark = [pytest.mark.platform, pytest.mark.soak]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
ORDERS = int(os.environ.get("DAYBREAK_SOAK_ORDERS", "20000"))
MORTAL = ("webhooks", "kafka")
PER_SECOND = 500
"""Of the sender: it sends faster, and is told to wait."""
LONGEST_LIFE = 8


def test_each_acknowledged_order_is_in_silver_once(platform: Platform) -> None:
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    chance, died = Random(SEED), Counter[str]()
    arguments = ("partner", "--topic", "orders", "--per-second", str(PER_SECOND))
    secret = platform.run("daybreak", "webhooks", "add", *arguments).stdout.strip()
    load, sent = Load(platform.settings.webhooks_port, "partner", key_of(secret)), set[str]()

    def events() -> Iterator[tuple[str, str, bytes]]:
        for number in range(ORDERS):
            topic, _, value, event_id, _ = placed(f"{SEED} {number}", datetime.now(UTC))
            sent.add(event_id or "")
            yield topic, event_id or "", value or b""

    failures: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(load.run(events()))
        except BaseException as failure:
            failures.append(failure)

    sending = Thread(target=run)
    sending.start()
    begun = time.monotonic()
    while sending.is_alive():
        for name in chance.sample(MORTAL, len(MORTAL)):
            time.sleep(chance.uniform(0, LONGEST_LIFE))
            old = platform.kill(name)
            died[name] += 1
            platform.wait_healthy(name, after=old, seconds=120)
    sending.join()
    assert not failures, failures
    found = load.sent
    print(f"{time.monotonic() - begun:.0f} s, {died}, {found.statuses}, p99 {quantile(found.seconds, 0.99):.2f} s")
    assert min(died[name] for name in MORTAL) >= 2, "they hardly died: send more orders"
    platform.wait_drained()
    assert sent == found.acknowledged.keys()
    silver = Counter(row["event_id"] for row in platform.rows("silver/events", "event_id"))
    assert silver == Counter(sent), f"seed {SEED}"
    bronze = {
        (row["partition"], row["offset"]): json.loads(row["value"])["event_id"]
        for row in platform.rows("bronze/events", "topic", "partition", "offset", "value")
        if row["topic"] == "orders"
    }
    wrong = [(one, at) for one, places in found.acknowledged.items() for at in places if bronze.get(at) != one]
    assert wrong == [], f"seed {SEED}"
    print(f"{len(bronze):,} records in bronze for {sum(map(len, found.acknowledged.values())):,} acknowledged requests")
