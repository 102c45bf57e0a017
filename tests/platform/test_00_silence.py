"""A topic without traffic holds nothing back: orders alone move the clock by which unpaid ones are told."""

from datetime import UTC, datetime, timedelta

import pytest
from running import Platform, until
from traffic import paid, placed

pytestmark = pytest.mark.platform

# Early, because event times only go forward: three days ago at noon. Of that day no earlier test sends anything.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=3)


def test_unpaid_orders_are_told_while_no_payment_comes(platform: Platform) -> None:
    platform.send([placed("silent paid", NOON), paid("silent paid", NOON + timedelta(minutes=1))])
    platform.wait_drained()
    steps = [NOON + timedelta(minutes=minutes) for minutes in (2, 60, 90, 150)]
    for number, at in enumerate(steps):
        platform.send([placed(f"silent {number}", at)])
        platform.wait_drained()

    def told(status: str) -> list[datetime]:
        rows = platform.rows("speed/order_payments", "ordered_at", "status")
        return [row["ordered_at"] for row in rows if row["status"] == status and row["ordered_at"] >= NOON]

    # Closed are the orders an hour before the watermark, which is ten minutes behind the newest order.
    until("unpaid orders are told", lambda: set(told("unpaid")) == set(steps[:2]), 60)
    assert told("paid") == [NOON]
