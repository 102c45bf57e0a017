"""The commands `order ...`: what a customer may ask of the order service (option order-service), and whether it did right.

Data flow: arguments -> a command -> its answer, in words; the log -> checked
Run: daybreak order place --customer c-7 --item p-1:2:995
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any
from uuid import uuid4

import typer

from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.services.supervisor import Supervisor
from infra.settings import Settings, settings
from infra.shop.options import ORDER_SERVICE
from infra.shop.orders import check as checking
from infra.shop.orders import client
from infra.shop.orders.commands import SHOP
from infra.shop.orders.start_anew import forget
from infra.shop.services.names import ORDER_SERVICE as PROGRAM

commands = typer.Typer()
order = typer.Typer(no_args_is_help=True, help="Ask the order service for something; it accepts or says why not.")
commands.add_typer(order, name="order")
console = Screen()

Customer = Annotated[str, typer.Option("--customer", help="Who commands, e.g. c-7.")]
Order = Annotated[str, typer.Option("--order", help="The order, e.g. o-0123abcd.")]
Items = Annotated[list[str], typer.Option("--item", help="PRODUCT:QUANTITY:CENTS, e.g. p-1:2:995; repeat for more.")]
Payment = Annotated[str, typer.Option("--payment", help="The payment, e.g. pay-0123abcd.")]
Cents = Annotated[int, typer.Option("--cents", help="The amount in cents.")]


@order.command()
def place(
    customer: Customer,
    item: Items,
    order_id: Annotated[str | None, typer.Option("--order", help="The new order's id; default: a random one.")] = None,
) -> None:
    """Place an order."""
    items = _items(item)
    _ask(
        "place_order",
        customer,
        {"order_id": order_id or f"o-{uuid4().hex[:16]}", "items": items, "total_cents": _total(items)},
    )


@order.command()
def add(customer: Customer, order_id: Order, item: Items) -> None:
    """Add items to an order that has not been shipped."""
    items = _items(item)
    _ask("add_item", customer, {"order_id": order_id, "items": items, "total_cents": _total(items)})


@order.command()
def pay(
    customer: Customer,
    order_id: Order,
    cents: Cents,
    card: Annotated[str, typer.Option("--card", help="The card, e.g. card-7.")] = "card-1",
    payment: Annotated[str | None, typer.Option("--payment", help="The payment's id; default: a random one.")] = None,
) -> None:
    """Pay for an order, or for a part of it."""
    paid = {"payment_id": payment or f"pay-{uuid4().hex[:16]}", "card_id": card, "amount_cents": cents}
    _ask("pay_order", customer, {"order_id": order_id, **paid})


@order.command()
def ship(customer: Customer, order_id: Order) -> None:
    """Ship a paid order."""
    _ask("ship_order", customer, {"order_id": order_id})


@order.command()
def cancel(
    customer: Customer, order_id: Order, reason: Annotated[str, typer.Option("--reason", help="Why.")] = ""
) -> None:
    """Cancel an order that has not been shipped."""
    _ask("cancel_order", customer, {"order_id": order_id, "reason": reason})


@order.command()
def refund(customer: Customer, order_id: Order, payment: Payment, cents: Cents) -> None:
    """Give a payment back, or a part of it."""
    _ask("refund_payment", customer, {"order_id": order_id, "payment_id": payment, "amount_cents": cents})


@order.command()
def receive(item: Items) -> None:
    """Goods came in: from then on the stock of these products is counted, and they can run out."""
    _ask("receive_goods", SHOP, {"items": _items(item)})


@order.command()
def check(as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False) -> None:
    """Check that each command has one answer, and that the service's state is what its events give."""
    _on()
    found = checking.check()
    if as_json:
        print(json.dumps(asdict(found)))
    else:
        console.print(
            f"{found.commands:,} commands: {found.accepted:,} accepted, {found.rejected:,} rejected, "
            f"{found.unanswered:,} not answered, {found.answered_twice:,} answered twice"
        )
        if found.reasons:
            console.print("rejected: " + ", ".join(f"{count:,} {reason}" for reason, count in found.reasons.items()))
        console.print(
            f"{found.known:,} orders by the snapshot and the log behind it, "
            f"{found.differing:,} differ from a replay of the whole log"
        )
    if not found.is_right:
        where = f": first {found.first}" if found.first else ""
        raise PermanentFailure(
            f"the order service broke its promise{where} (a service that is down answers when it is up again)"
        )


@order.command("start-anew")
def start_anew() -> None:
    """Forget the snapshot, and restore the service from what the log still has; orders that the log has lost are unknown then."""
    s = _on()
    supervisor = Supervisor(s)
    supervisor.stop(PROGRAM, wait=True)
    try:
        forget()
    finally:
        supervisor.begin(PROGRAM)
    console.print("the order service restores its state from the whole log")


def _ask(kind: str, customer: str, fields: Mapping[str, Any]) -> None:
    """Ask, and say the answer. Raises PermanentFailure if it is no."""
    _on()
    said = client.ask(kind, customer, fields)
    about = f" {said['order_id']}" if said.get("order_id") else ""
    if said["event_type"] != "command_accepted":
        raise PermanentFailure(
            f"{kind}{about} was rejected: {said['reason']}{': ' + said['why'] if said.get('why') else ''}"
        )
    payment = f", payment {fields['payment_id']}" if "payment_id" in fields else ""
    console.print(f"{kind}{about} was accepted (answer {said['number']:,}){payment}", soft_wrap=True, markup=False)


def _on() -> Settings:
    if not settings().has(ORDER_SERVICE):
        raise PermanentFailure("the order service is off; turn it on: daybreak up --with order-service")
    return settings()


def _items(texts: list[str]) -> list[dict[str, Any]]:
    found = []
    for text in texts:
        product, quantity, cents = [*text.split(":"), "", ""][:3]
        if text.count(":") != 2 or not quantity.isdecimal() or not cents.isdecimal():
            raise PermanentFailure(f"--item {text!r} is no item: write PRODUCT:QUANTITY:CENTS, e.g. p-1:2:995")
        found.append({"product_id": product, "quantity": int(quantity), "unit_price_cents": int(cents)})
    return found


def _total(items: list[dict[str, Any]]) -> int:
    return sum(item["quantity"] * item["unit_price_cents"] for item in items)
