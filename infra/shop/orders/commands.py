"""The commands that the order service takes, and how a record is read as one.

Data flow: a record of topic `commands` (key, value) -> a command, or why it is none
Run: daybreak order place --customer c-7 --item p-1:2:995

A command is what somebody wants; only its answer says whether it happened. It has the envelope of every event, and `event_id` is
the command's own: sent twice, it is still one command. The same rules stand in the stream's contract, which quarantines what
breaks them and names the rule.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from infra.strict_json import decoded

TOPIC = "commands"
MAX_BYTES = 65_536
"""Longest value, as in the stream."""
LAST_MILLISECOND = 253_402_300_799_999
"""The end of the year 9999, as in the stream."""
SHOP = "c-0"
"""Who commands for the shop itself: goods that came in."""

Id = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Time = Annotated[int, Field(ge=0, le=LAST_MILLISECOND)]
Order = Annotated[str, Field(pattern=r"^o-[0-9a-f]{8,32}$")]
Customer = Annotated[str, Field(pattern=r"^c-[0-9]{1,12}$")]
PaymentId = Annotated[str, Field(pattern=r"^pay-[0-9a-f]{8,32}$")]
Card = Annotated[str, Field(pattern=r"^card-[0-9]{1,12}$")]
Channel = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,19}$")]
Cents = Annotated[int, Field(ge=0, le=10**13)]
Amount = Annotated[int, Field(ge=1, le=10**10)]
"""Fields of commands, and of the events that they become."""


class Strict(BaseModel):
    """Takes no other types than its own, and no other fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Item(Strict):
    """A line of an order."""

    product_id: str = Field(pattern=r"^p-[0-9]{1,12}$")
    quantity: int = Field(ge=1, le=1000)
    unit_price_cents: int = Field(ge=0, le=100_000_000)


Items = Annotated[list[Item], Field(min_length=1, max_length=100)]


class _Command(Strict):
    event_id: Id
    event_time: Time
    # A Literal would take true for 1.
    schema_version: int = Field(ge=1, le=1)
    customer_id: Customer


class Place(_Command):
    """Order these items; `total_cents` is what the customer was told."""

    event_type: Literal["place_order"]
    order_id: Order
    items: Items
    total_cents: Cents
    channel: Channel | None = None


class Add(_Command):
    """Add items to an order that has not been shipped."""

    event_type: Literal["add_item"]
    order_id: Order
    items: Items
    total_cents: Cents


class Pay(_Command):
    """A payment for an order has been captured."""

    event_type: Literal["pay_order"]
    order_id: Order
    payment_id: PaymentId
    card_id: Card
    amount_cents: Amount


class Ship(_Command):
    """Send a paid order off."""

    event_type: Literal["ship_order"]
    order_id: Order


class Cancel(_Command):
    """Cancel an order that has not been shipped."""

    event_type: Literal["cancel_order"]
    order_id: Order
    reason: str = Field(max_length=500)


class Refund(_Command):
    """Give a payment back, or a part of it."""

    event_type: Literal["refund_payment"]
    order_id: Order
    payment_id: PaymentId
    amount_cents: Amount


class Receive(_Command):
    """Goods came in. Only the shop may say so; from then on their stock is counted."""

    event_type: Literal["receive_goods"]
    items: Items


Command = Place | Add | Pay | Ship | Cancel | Refund | Receive


FIELDS = frozenset(name for kind in get_args(Command) for name in kind.model_fields)


class _Any(RootModel[Annotated[Command, Field(discriminator="event_type")]]):
    pass


class Malformed(Exception):
    """The record is no command; the text says why."""

    def __init__(self, why: str, reason: str = "malformed") -> None:
        super().__init__(why)
        self.reason = reason


def read(key: bytes | None, value: bytes | None) -> Command:
    """The command in a record. Raises Malformed."""
    if value is None or not value:
        raise Malformed("it is empty")
    if len(value) > MAX_BYTES:
        raise Malformed(f"it is longer than {MAX_BYTES:,} bytes")
    try:
        found = _Any.model_validate(_without_nulls(decoded(value))).root
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        # The first part of a place is the kind of command.
        field = ".".join(map(str, first["loc"][1:]))
        is_later = field == "schema_version" and first["type"] in ("greater_than_equal", "less_than_equal")
        reason = "unknown_version" if is_later else "malformed"
        raise Malformed(f"{field}: {first['msg']}" if field else first["msg"], reason) from None
    except (ValueError, RecursionError) as wrong:
        raise Malformed(f"it is not JSON: {wrong}") from None
    # Another key is another partition, where its customer's other commands are not.
    if key != found.customer_id.encode():
        raise Malformed("its key is not its customer_id")
    items = getattr(found, "items", ())
    if (total := getattr(found, "total_cents", None)) is not None and total != total_of(items):
        raise Malformed(f"its total_cents is {total}, and its items cost {total_of(items)}")
    return found


def _without_nulls(command: Any) -> Any:
    """A field that some command has and that is null here is one that was left out, as in the stream."""
    if not isinstance(command, dict):
        return command
    return {name: value for name, value in command.items() if value is not None or name not in FIELDS}


def total_of(items: Sequence[Item]) -> int:
    """What items cost, in cents."""
    return sum(item.quantity * item.unit_price_cents for item in items)
