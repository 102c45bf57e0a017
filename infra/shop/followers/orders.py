"""The rows of table `orders` as a follower of the order service's events (options shop-db and order-service).

Data flow: topics `orders`, `payments` -> OrderRows in the shop's database
Run: daybreak up --with shop-db --with order-service
"""

from collections.abc import Mapping, Sequence

from infra.settings import Settings
from infra.shop.db.changes import Key, Row
from infra.shop.followers.follower import Position, Record, System
from infra.shop.followers.order_events import read
from infra.shop.followers.order_rows import NAME, OrderRows, again
from infra.shop.orders.order import ORDERS as EVENTS
from infra.shop.orders.order import PAYMENTS


class _Orders:
    """OrderRows that take records."""

    def __init__(self, s: Settings) -> None:
        self._rows = OrderRows(s)
        self.position, self.close = self._rows.position, self._rows.close

    def apply(self, records: Sequence[Record], position: Position) -> None:
        self._rows.apply([event for one in records if (event := read(one)) is not None], position)

    def rows(self, table: str) -> Mapping[Key, Row]:
        raise AssertionError(f"the rows of {table} are the database's own, which the others are compared with")

    def discard(self) -> None:
        raise AssertionError("rows are mended in their place, and not built beside it")


ORDERS = System(
    name=NAME,
    # No copy of a captured table: it writes one.
    tables=(),
    topics=lambda s: (EVENTS, PAYMENTS),
    opened=_Orders,
    anew=again,
)
