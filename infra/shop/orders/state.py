"""All that the order service knows: orders, stock, answered commands. It is in memory, and follows from the log.

Data flow: facts, in the order in which they were decided -> State
Run: pytest tests/infra/test_order_service.py
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from infra.shop.day import DAY_MS
from infra.shop.orders.answered import Answered
from infra.shop.orders.order import ADDED, CANCELLED, PLACED, Fact, Order, after

KEPT_MS = 90 * DAY_MS
"""So long after its last event an order is known; then a command to it is one to an unknown order."""


@dataclass
class State:
    """`orders`: JSON by id. `stock`: pieces of the products that are counted; another one never runs out.

    `number`: answers so far. `newest_ms`: the newest time of a command. The `changed_` sets differ from the snapshot.
    """

    orders: dict[str, bytes] = field(default_factory=dict)
    stock: dict[str, int] = field(default_factory=dict)
    answered: Answered = field(default_factory=Answered)
    number: int = 0
    newest_ms: int = 0
    changed_orders: set[str] = field(default_factory=set)
    changed_stock: set[str] = field(default_factory=set)
    _by_day: dict[int, set[str]] = field(default_factory=dict)

    def order(self, order_id: str) -> Order | None:
        """The order; None if it is not known."""
        text = self.orders.get(order_id)
        return None if text is None else Order.read(text)

    def apply(self, fact: Fact) -> None:
        """Take one more fact."""
        if fact.order_id is None:
            self._count({product: self.stock.get(product, 0) + more for product, more in fact.pieces.items()})
            return
        before = self.order(fact.order_id)
        now = after(before, fact)
        if fact.kind in (PLACED, ADDED):
            taken = {product: pieces for product, pieces in fact.pieces.items() if product in self.stock}
            self._count({product: self.stock[product] - pieces for product, pieces in taken.items()})
            all_taken = Counter(now.reserved)
            all_taken.update(taken)
            now = replace(now, reserved=dict(all_taken))
        elif fact.kind == CANCELLED:
            self._count({product: self.stock[product] + pieces for product, pieces in now.reserved.items()})
        self.keep(fact.order_id, now.written(), fact.time_ms)
        self.changed_orders.add(fact.order_id)

    def keep(self, order_id: str, text: bytes, last_ms: int) -> None:
        """Have an order as it is."""
        self.orders[order_id] = text
        self._by_day.setdefault(last_ms // DAY_MS, set()).add(order_id)

    def forget(self, arrival_ms: int) -> None:
        """Drop what nobody may ask for any more."""
        self.answered.forget(arrival_ms)
        for day in [day for day in self._by_day if (day + 1) * DAY_MS + KEPT_MS < arrival_ms]:
            for order_id in self._by_day.pop(day):
                order = self.order(order_id)
                if order and order.last_ms // DAY_MS == day:
                    del self.orders[order_id]
                    self.changed_orders.add(order_id)

    @property
    def changes(self) -> int:
        """How many entries differ from the snapshot."""
        return len(self.changed_orders) + len(self.changed_stock) + len(self.answered.changed)

    def _count(self, pieces: dict[str, int]) -> None:
        self.stock |= pieces
        self.changed_stock |= pieces.keys()
