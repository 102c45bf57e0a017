"""A search or a click of one of few sessions: their views need more than one of the same session in a random history."""

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
