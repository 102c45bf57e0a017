"""What the contracts allow, written a second time and by hand: patterns, lengths and ranges of every field.

Data flow: contract files, as a person reads them -> ALLOWED
Run: pytest tests/streaming/test_fuzz.py

The types, the fields of each version and which of them a kind requires are the contract's own declarations.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]
"""Is a value of the right type one that the contract allows?"""


def _like(pattern: str) -> Check:
    found = re.compile(pattern, re.ASCII)
    return lambda text: found.fullmatch(text) is not None


def _long(low: int, high: int) -> Check:
    return lambda text: low <= len(text) <= high


def _between(low: int, high: int) -> Check:
    return lambda number: low <= number <= high


def _each(check: Check, low: int, high: int) -> Check:
    return lambda values: low <= len(values) <= high and all(one is not None and check(one) for one in values)


def _any(_: Any) -> bool:
    return True


UUID = _like("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
ORDER, CUSTOMER, PRODUCT = _like("o-[0-9a-f]{8,32}"), _like("c-[0-9]{1,12}"), _like("p-[0-9]{1,12}")
VISIT, CARD, PAYMENT, SEARCH = (
    _like("v-[0-9a-f]{8,32}"),
    _like("card-[0-9]{1,12}"),
    _like("pay-[0-9a-f]{8,32}"),
    _like("s-[0-9a-f]{8,32}"),
)
CHANNEL, REGION, WORD = _like("[a-z][a-z_]{0,19}"), _like("[a-z]{2,20}(-[a-z]{2,20})?"), _like("[a-z_]{1,40}")
CENTS, PRICE, AMOUNT = _between(0, 10**13), _between(0, 10**8), _between(1, 10**10)
LARGE = 10**18


def _item(item: Mapping[str, Any]) -> bool:
    return (
        item.keys() == {"product_id", "quantity", "unit_price_cents"}
        and None not in item.values()
        and PRODUCT(item["product_id"])
        and 1 <= item["quantity"] <= 1000
        and PRICE(item["unit_price_cents"])
    )


ITEMS = _each(_item, 1, 100)
_CUSTOMERS = {"customer_id": CUSTOMER, "name": _long(1, 200), "region": REGION}
_PRODUCTS = {"product_id": PRODUCT, "title": _long(1, 200), "brand": _long(1, 100), "price_cents": PRICE}
ALLOWED: Mapping[str, Mapping[str, Check]] = {
    "orders": {
        "order_id": ORDER, "customer_id": CUSTOMER, "items": ITEMS, "total_cents": CENTS, "reason": _any, "channel": CHANNEL,
        "currency": lambda text: text == "EUR",
    },
    "payments": {"payment_id": PAYMENT, "order_id": ORDER, "card_id": CARD, "amount_cents": AMOUNT},
    "searches": {"session_id": VISIT, "customer_id": CUSTOMER, "query": _long(1, 200), "product_ids": _each(PRODUCT, 0, 100)},
    "clicks": {"session_id": VISIT, "customer_id": CUSTOMER, "product_id": PRODUCT, "position": _between(1, 100)},
    "products": _PRODUCTS,
    "saved_searches": {"search_id": SEARCH, "customer_id": CUSTOMER, "words": _long(1, 200)},
    "customers": _CUSTOMERS,
    "commands": {
        "customer_id": CUSTOMER, "order_id": ORDER, "items": ITEMS, "total_cents": CENTS, "channel": CHANNEL,
        "payment_id": PAYMENT,
        "card_id": CARD, "amount_cents": AMOUNT, "reason": _long(0, 500),
    },
    "answers": {
        "command_id": UUID, "number": _between(1, 2**62), "command": WORD, "customer_id": CUSTOMER,
        "order_id": ORDER, "reason": WORD,
        "why": _any, "items": ITEMS,
    },
    "shop.public.customers": {**_CUSTOMERS, "note": _any, "changed_at": _any},
    "shop.public.products": {
        **_PRODUCTS, "weight_kg": _like(r"-?[0-9]{1,5}\.[0-9]{3}|NAN"), "description": _long(0, 20_000), "changed_at": _any,
    },
    "shop.public.stock": {
        "product_id": _long(1, 100), "warehouse": _long(1, 100), "on_hand": _between(-(10**9), 10**9), "changed_at": _any,
    },
    "shop.public.orders": {
        "order_id": _long(1, 100), "customer_id": _long(1, 100),
        "status": _like("unknown|placed|paid|shipped|cancelled|refunded"),
        "lines": _between(0, LARGE), "total_cents": _between(0, LARGE), "paid_cents": _between(-LARGE, LARGE),
        "failed_payments": _between(0, LARGE), "reason": _any, "changed_at": _any,
    },
}  # fmt: skip

_PAYMENT = {"payment_id", "card_id", "amount_cents"}
_ITEMS = {"items", "total_cents"}
OF_ANOTHER_KIND: Mapping[str, frozenset[str]] = {
    "place_order": frozenset(_PAYMENT | {"reason"}),
    "add_item": frozenset(_PAYMENT | {"reason", "channel"}),
    "pay_order": frozenset(_ITEMS | {"reason", "channel"}),
    "ship_order": frozenset(_ITEMS | _PAYMENT | {"reason", "channel"}),
    "cancel_order": frozenset(_ITEMS | _PAYMENT | {"channel"}),
    "refund_payment": frozenset(_ITEMS | {"card_id", "reason", "channel"}),
    "receive_goods": frozenset(_PAYMENT | {"order_id", "total_cents", "reason", "channel"}),
}
"""A command has no field that only other commands have."""


def has_right_total(event: Mapping[str, Any]) -> bool:
    """What an order or a command says that its items cost is what they cost."""
    if event.get("items") is None or event.get("total_cents") is None:
        return True
    return bool(event["total_cents"] == sum(one["quantity"] * one["unit_price_cents"] for one in event["items"]))
