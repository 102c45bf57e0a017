"""A topic without traffic holds nothing back: orders alone move the clock by which unpaid ones are final."""

from datetime import UTC, datetime, timedelta

import pytest
from running import Platform, until
from traffic import paid, placed

pytestmark = pytest.mark.platform

# Early, because event times only go forward: three days ago at noon. Of that day no earlier test sends anything.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=3)


def test_unpaid_orders_are_final_while_no_payment_comes(platform: Platform) -> None:
    platform.send([placed("silent paid", NOON), paid("silent paid", NOON + timedelta(minutes=1))])
    platform.wait_drained()
    steps = [NOON + timedelta(minutes=minutes) for minutes in (2, 60, 90, 150)]
    for number, at in enumerate(steps):
        platform.send([placed(f"silent {number}", at)])
        platform.wait_drained()

    def said(final: bool) -> set[tuple[str, datetime]]:
        rows = platform.rows("speed/order_payments", "ordered_at", "payment_status", "is_final")
        own = [row for row in rows if row["ordered_at"] >= NOON and row["is_final"] >= final]
        return {(row["payment_status"], row["ordered_at"]) for row in own}

    # Closed are the orders an hour before the watermark, which is ten minutes behind the newest order.
    closed = {("paid", NOON)} | {("unpaid", at) for at in steps[:2]}
    until("unpaid orders are final", lambda: said(final=True) == closed, 60)
    # The others are open, and said to be.
    assert {at for status, at in said(final=False) if status == "unpaid"} >= set(steps)
