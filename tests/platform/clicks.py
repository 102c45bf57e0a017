"""Traffic beside the orders, which have one writer: clicks and searches, each acknowledged one to be found in silver once.

Data flow: the shop's clicks and searches -> the log, a ledger -> compared with silver
Run: pytest tests/platform/orders/test_three_brokers.py
"""

import time
from collections import Counter
from datetime import timedelta
from threading import Thread
from uuid import uuid4

from running import Platform
from traffic import NOW, PER_SECOND, burst

from infra.kafka.delivery_log import ACKED, Ledger, read_ledger
from infra.kafka.send import Sender

TOPICS = ("clicks", "searches")


class Clicks:
    """The shop's clicks and searches, some hundred a second while the block runs, each valid one once, with a ledger.

    Those of `ago` are late.
    """

    def __init__(self, platform: Platform, name: str, ago: timedelta = NOW, pause: float = 0.01) -> None:
        self.ledger = platform.settings.home / f"{name}.jsonl"
        self.acked = 0
        self._ago, self._pause = ago, pause
        self._over = False
        self._thread = Thread(target=self._send)

    def __enter__(self) -> "Clicks":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._thread.join()

    def _send(self) -> None:
        with Ledger(self.ledger) as ledger, Sender(TOPICS, ledger) as sender:
            while not self._over:
                seen: set[str | None] = set()
                for topic, key, value, event_id, kind in burst(uuid4().int % 1_000_000, PER_SECOND, self._ago):
                    if topic in TOPICS and kind == "good" and event_id not in seen and not self._over:
                        seen.add(event_id)
                        sender.send(topic, key, value, event_id, kind=kind)
                        self.acked = sender.acked.total()
                        time.sleep(self._pause)

    def assert_in_silver(self, platform: Platform) -> None:
        """Each event was acknowledged once, and is in silver once."""
        times = self._acknowledged()
        assert set(times.values()) == {1}
        found = (row["event_id"] for row in platform.rows("silver/events", "event_id"))
        assert Counter(event_id for event_id in found if event_id in times) == times

    def _acknowledged(self) -> Counter[str]:
        return Counter(one.event_id for one in read_ledger(self.ledger) if one.event_id and one.outcome == ACKED)
