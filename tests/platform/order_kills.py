"""The order service, killed again and again under load.

Data flow: commands -> services that die at random -> answers
Run: pytest tests/platform/shop_db/test_order_service.py
"""

import json
import multiprocessing
import random
import threading
import time
from types import TracebackType
from typing import Any
from uuid import UUID

from infra.kafka.send import Sender
from infra.settings import settings
from infra.shop.deliver import now_ms
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.service import Service

PAUSE, ORDERS = 0.02, 80
"""Seconds between two commands, and about how many orders: an instance lives for dozens, and an order gets some of each kind."""


def serve() -> None:
    """An instance, until it is killed."""
    Service(settings()).run(lambda: False)


class Load:
    """Sends random commands of a few customers about `orders` orders, some of them twice, while the block runs."""

    def __init__(self, seed: int, pause: float = PAUSE, orders: int = ORDERS) -> None:
        self._chance = random.Random(seed)
        self._pause, self._orders = pause, orders
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send)
        self.sent = 0

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _send(self) -> None:
        with Sender([TOPIC]) as sender:
            while not self._over.wait(self._pause):
                command = self._command()
                value = json.dumps(command).encode()
                for _ in range(2 if self._chance.random() < 0.1 else 1):
                    sender.send(TOPIC, command["customer_id"].encode(), value)
                self.sent += 1

    def _command(self) -> dict[str, Any]:
        chance = self._chance
        number = chance.randint(1, 5)
        order = {"order_id": f"o-{chance.randint(1, self._orders):08x}", "customer_id": f"c-{number}"}
        item = {"product_id": f"p-{chance.randint(1, 3)}", "quantity": chance.randint(1, 3), "unit_price_cents": 10}
        bought = {**order, "items": [item], "total_cents": 10 * item["quantity"]}  # type: ignore[operator]
        paid = {"payment_id": f"pay-{chance.getrandbits(64):016x}", "card_id": "card-1", "amount_cents": 10}
        fields = chance.choice(
            [
                ("place_order", bought),
                ("place_order", bought),
                ("add_item", bought),
                ("pay_order", order | paid),
                ("ship_order", order),
                ("cancel_order", order | {"reason": "x"}),
                ("receive_goods", {"customer_id": "c-0", "items": [item]}),
            ]
        )
        head = {"event_id": str(UUID(int=chance.getrandbits(128))), "event_time": now_ms(), "schema_version": 1}
        return {**head, "event_type": fields[0], **fields[1]}


def killed(times: int, seed: int) -> int:
    """Start and kill so many instances at random moments; how many of them had begun to answer is for the caller to see."""
    chance = random.Random(seed)
    # A server that has imported everything, so that an instance starts at once.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["order_kills"])
    for _ in range(times):
        process = context.Process(target=serve)
        process.start()
        time.sleep(chance.uniform(0.1, 1.2))
        process.kill()
        process.join()
    return times
