"""Searches, clicks, and changes of customers, products and saved searches, with few keys: so that they meet by chance."""

import random
from datetime import datetime
from typing import Any

PRODUCTS = ("p-1", "p-2", "p-3", "p-4")


def visit_step(name: str, at: datetime, chance: random.Random) -> dict[str, Any]:
    """Columns of EVENT: one search in three steps."""
    own: dict[str, Any] = {"session_id": f"v-{chance.randrange(3)}", "customer_id": "c-1"}
    if chance.random() < 1 / 3:
        shown = chance.sample(PRODUCTS, 2)
        topic, kind, more = (
            "searches",
            "search_made",
            {"query": chance.choice(("Tent", " tent ")), "product_ids": shown},
        )
    else:
        topic, kind, more = "clicks", "product_clicked", {"product_id": chance.choice(PRODUCTS), "position": 1}
    event = {"topic": topic, "event_type": kind, "event_id": name, "event_time": at, "day": at.date()}
    return event | {topic: own | more}


def change(name: str, at: datetime, chance: random.Random) -> dict[str, Any]:
    """Columns of EVENT: a change of a customer, a saved search or a product; few keys and words, so that they meet."""
    topic = chance.choice(("customers", "saved_searches", "products"))
    if topic == "customers":
        own: dict[str, Any] = {"customer_id": chance.choice(("c", "c-1", "c-2"))}
        kind = chance.choice(("customer_registered", "customer_moved", "customer_moved", "customer_left"))
        own |= {} if kind == "customer_left" else {"name": "Ann", "region": chance.choice(("north", "south", "west"))}
    elif topic == "saved_searches":
        own = {"search_id": f"s-{chance.randrange(4)}", "customer_id": "c-1"}
        kind = chance.choice(("search_saved", "search_saved", "search_removed"))
        own |= {"words": chance.choice(("lamp", "Red lamp", "lámp red"))} if kind == "search_saved" else {}
    else:
        own = {"product_id": chance.choice(PRODUCTS)}
        kind = chance.choice(("product_listed", "product_listed", "product_changed"))
        own |= {"title": chance.choice(("Red Lamp", "Lamp, small", "Mug")), "brand": "Alder", "price_cents": 5}
    event = {"topic": topic, "event_type": kind, "event_id": name, "event_time": at, "day": at.date()}
    return event | {topic: own}
