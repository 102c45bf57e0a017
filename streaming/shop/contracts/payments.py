"""Payments: captured, failed or refunded.

Data flow: topic `payments`, keyed by order_id -> silver
Run: daybreak query "SELECT * FROM staging.stg_silver__payments LIMIT 5"
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, between, matches

_FIELDS = ("payment_id", "order_id", "card_id", "amount_cents")

PAYMENTS = Contract(
    topic="payments",
    description="Payments for orders: captured, failed or refunded.",
    key="order_id",
    payload=struct(
        column("payment_id", "string", "The payment"),
        column("order_id", "string", "The order paid for"),
        column("card_id", "string", "The card"),
        column("amount_cents", "bigint", "The amount, in cents"),
    ),
    required={"payment_captured": _FIELDS, "payment_failed": _FIELDS, "payment_refunded": _FIELDS},
    rules=(
        matches("payment_id", "pay-[0-9a-f]{8,32}"),
        matches("order_id", "o-[0-9a-f]{8,32}"),
        matches("card_id", "card-[0-9]{1,12}"),
        between("amount_cents", 1, 10**10),
    ),
)
