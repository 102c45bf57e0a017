"""A topic without traffic holds nothing back: orders alone move the clock by which unpaid ones are final."""

from datetime import UTC, datetime, timedelta

import pytest
from running import Platform, until
from traffic import paid, placed

pytestmark = pytest.mark.platform

# Early, because event times only go forward: three days ago at noon, and ten days before: days of no earlier test.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=3)
LONG_AGO = NOON - timedelta(days=10)


def test_unpaid_orders_are_final_while_no_payment_comes(platform: Platform) -> None:
    platform.send([placed("silent paid", LONG_AGO), paid("silent paid", LONG_AGO + timedelta(minutes=1))])
    platform.wait_drained()
    steps = [at + timedelta(minutes=minutes) for at in (LONG_AGO, NOON) for minutes in (2, 60)]
    for number, at in enumerate(steps):
        platform.send([placed(f"silent {number}", at)])
        platform.wait_drained()

    def said(final: bool) -> set[tuple[str, datetime]]:
        rows = platform.rows("speed/order_payments", "ordered_at", "payment_status", "is_final")
        own = [row for row in rows if row["ordered_at"] >= LONG_AGO and row["is_final"] >= final]
        return {(row["payment_status"], row["ordered_at"]) for row in own}

    # Closed are the orders three days before the watermark, which is ten minutes behind the newest order.
    closed = {("paid", LONG_AGO)} | {("unpaid", at) for at in steps[:2]}
    until("unpaid orders are final", lambda: said(final=True) == closed, 60)
    # The others are open, and said to be.
    assert {at for status, at in said(final=False) if status == "unpaid"} >= set(steps)
