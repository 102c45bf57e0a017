"""What the order service reads and answers: commands, and one answer to each (option order-service).

Data flow: topics `commands`, keyed by customer_id, and `answers`, keyed by command_id -> silver
Run: daybreak up --with order-service

The service applies the rules of `commands` itself, before the stream sees them; what breaks one is answered and quarantined.
"""

from functools import reduce
from operator import or_

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from infra.lake.columns import column, struct
from streaming.contracts.array_rules import each_between, each_has, each_matches, each_names_only
from streaming.contracts.contract import UUID, Contract, Rule, between, is_text, length_between, matches
from streaming.reasons import Reason
from streaming.shop.contracts.orders import ITEM, items_total

_ITEMS = (
    each_has("items", *ITEM.fieldNames()),
    *each_names_only("items", *ITEM.fieldNames()),
    each_matches("items", "product_id", "p-[0-9]{1,12}"),
    each_between("items", "quantity", 1, 1000),
    each_between("items", "unit_price_cents", 0, 100_000_000),
    Rule(Reason.OUT_OF_RANGE, lambda event: ~F.size(event["items"]).between(1, 100)),
)
_ORDER = ("order_id", "customer_id")
_REQUIRED = {
    "place_order": (*_ORDER, "items", "total_cents"),
    "add_item": (*_ORDER, "items", "total_cents"),
    "pay_order": (*_ORDER, "payment_id", "card_id", "amount_cents"),
    "ship_order": _ORDER,
    "cancel_order": (*_ORDER, "reason"),
    "refund_payment": (*_ORDER, "payment_id", "amount_cents"),
    "receive_goods": ("customer_id", "items"),
}
_OPTIONAL = {"place_order": ("channel",)}


def _has_field_of_another(event: Column) -> Column:
    """A command has no field that only other commands have: who sends one means something that the service does not do."""
    names = {*sum(_REQUIRED.values(), ()), *sum(_OPTIONAL.values(), ())}

    def found(kind: str) -> Column:
        others = sorted(names - {*_REQUIRED[kind], *_OPTIONAL.get(kind, ())})
        return (event["event_type"] == kind) & reduce(or_, [event[name].isNotNull() for name in others])

    return reduce(or_, map(found, _REQUIRED))


COMMANDS = Contract(
    topic="commands",
    description="What customers ask of the order service; only an answer says whether it happened.",
    key="customer_id",
    payload=struct(
        column("customer_id", "string", "Who commands; c-0 is the shop itself"),
        column("order_id", "string", "The order; null for goods that came in"),
        column("items", ArrayType(ITEM), "Lines that are ordered or came in"),
        column("total_cents", "bigint", "What the items cost together, in cents"),
        column("channel", "string", "Where it was ordered, e.g. app; null: not told"),
        column("payment_id", "string", "The payment"),
        column("card_id", "string", "The card"),
        column("amount_cents", "bigint", "The amount paid or given back, in cents"),
        column("reason", "string", "Why it is cancelled"),
    ),
    required=_REQUIRED,
    rules=(
        Rule(Reason.UNKNOWN_FIELD, _has_field_of_another),
        matches("customer_id", "c-[0-9]{1,12}"),
        matches("order_id", "o-[0-9a-f]{8,32}"),
        *_ITEMS,
        between("total_cents", 0, 10**13),
        Rule(Reason.TOTAL_MISMATCH, lambda event: event["total_cents"] != items_total(event)),
        is_text("channel"),
        matches("channel", "[a-z][a-z_]{0,19}"),
        matches("payment_id", "pay-[0-9a-f]{8,32}"),
        matches("card_id", "card-[0-9]{1,12}"),
        between("amount_cents", 1, 10**10),
        is_text("reason"),
        length_between("reason", 0, 500),
    ),
)

ANSWERS = Contract(
    topic="answers",
    description="The order service's answers: one to each command.",
    key="command_id",
    payload=struct(
        column("command_id", "string", "The command; one made of its place in the log if it has no readable id"),
        column("number", "bigint", "Answers are numbered in the order in which they were decided"),
        column("command", "string", "Its kind, e.g. place_order; null if it was malformed"),
        column("customer_id", "string", "Who commanded; null if it was malformed"),
        column("order_id", "string", "The order; null if it is about none"),
        column("reason", "string", "Why it was rejected; null if it was accepted"),
        column("why", "string", "What is malformed; null if nothing is"),
        column("items", ArrayType(ITEM), "Goods that came in; null for other commands"),
    ),
    required={
        "command_accepted": ("command_id", "number", "command", "customer_id"),
        "command_rejected": ("command_id", "number", "reason"),
    },
    rules=(
        matches("command_id", UUID),
        between("number", 1, 2**62),
        matches("command", "[a-z_]{1,40}"),
        matches("customer_id", "c-[0-9]{1,12}"),
        matches("order_id", "o-[0-9a-f]{8,32}"),
        matches("reason", "[a-z_]{1,40}"),
        is_text("why"),
        *_ITEMS,
    ),
)
