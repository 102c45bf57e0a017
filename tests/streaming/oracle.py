"""The views in plain Python, from their sentences in the issue and not from their code: events of one history -> rows.

Data flow: events as dicts (times in milliseconds) -> per view the rows, as dicts of the view's columns
Run: pytest tests/streaming/test_oracle.py
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

from infra.words import words as words_in

Event = dict[str, Any]
Row = dict[str, Any]
MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def placed(events: list[Event]) -> list[Event]:
    return [event for event in events if event["event_type"] == "order_placed"]


def added(events: list[Event]) -> list[Event]:
    return [event for event in events if event["event_type"] == "items_added"]


def payments(events: list[Event], *kinds: str) -> list[Event]:
    return [event for event in events if event["event_type"] in {f"payment_{kind}" for kind in kinds}]


def windows(events: list[Event], size: int, every: int) -> Iterator[tuple[int, list[Event]]]:
    """Every window [start, start + size) at a multiple of `every` that has an event, with its events."""
    if not events:
        return
    first, last = min(e["ms"] for e in events), max(e["ms"] for e in events)
    start = first // every * every - math.ceil(size / every) * every
    while start <= last:
        if own := [event for event in events if start <= event["ms"] < start + size]:
            yield start, own
        start += every


def order_totals(events: list[Event]) -> Iterator[Row]:
    for start, own in windows([*placed(events), *added(events)], MINUTE, MINUTE):
        items = sum(item["quantity"] for event in own for item in event["items"])
        yield _window(start, MINUTE) | {"orders": len(placed(own)), "items": items, "revenue_cents": _cents(own)}


def orders_last_8_minutes(events: list[Event]) -> Iterator[Row]:
    for start, own in windows(placed(events), 8 * MINUTE, MINUTE):
        yield _window(start, 8 * MINUTE) | {"orders": len(own), "revenue_cents": _cents(own)}


def payment_health(events: list[Event]) -> Iterator[Row]:
    kinds = ("captured", "failed", "refunded")
    for start, own in windows(payments(events, *kinds), 6 * MINUTE, 10 * MINUTE):
        yield _window(start, 6 * MINUTE) | {kind: len(payments(own, kind)) for kind in kinds}


def payment_failures(events: list[Event]) -> Iterator[Row]:
    for start, own in windows(payments(events, "captured", "failed"), 5 * MINUTE, 5 * MINUTE):
        failed = len(payments(own, "failed"))
        yield _window(start, 5 * MINUTE) | {
            "attempts": len(own),
            "failed": failed,
            "failure_rate": failed / len(own),
        }


def order_value_percentiles(events: list[Event]) -> Iterator[Row]:
    for start, own in windows(placed(events), 5 * MINUTE, 5 * MINUTE):
        totals = sorted(event["total_cents"] for event in own)
        ranked = {f"p{p}_cents": totals[-(-p * len(totals) // 100) - 1] for p in (50, 95, 99)}
        yield _window(start, 5 * MINUTE) | {"orders": len(own), **ranked, "largest_cents": totals[-1]}


def rolling_order_rate(events: list[Event]) -> Iterator[Row]:
    orders = placed(events)
    for event in orders:
        own = [other for other in orders if event["ms"] - 5 * MINUTE < other["ms"] <= event["ms"]]
        yield {
            "event_id": event["event_id"],
            "order_id": event["order_id"],
            "ordered_at": event["ms"],
            "orders": len(own),
            "revenue_cents": _cents(own),
        }


def order_payments(events: list[Event]) -> Iterator[Row]:
    for order_id in {event["order_id"] for event in placed(events)}:
        found = []
        for order in (event for event in placed(events) if event["order_id"] == order_id):
            within = range(order["ms"], order["ms"] + 3 * DAY + 1)
            paid = [p for p in payments(events, "captured") if p["order_id"] == order_id and p["ms"] in within]
            for payment in paid or [None]:
                found.append(_paid(order, payment))
        values = ("captured_at", "payment_id", "amount_cents", "ordered_at", "total_cents", "customer_id")
        yield min(found, key=lambda row: [(row[name] is None, row[name]) for name in values])


def fraud_alerts(events: list[Event]) -> Iterator[Row]:
    for card in {event["card_id"] for event in payments(events, "captured", "failed")}:
        own = [event for event in payments(events, "captured", "failed") if event["card_id"] == card]
        own.sort(key=lambda event: (event["ms"], event["event_id"]))
        for place, large in enumerate(own):
            before = own[:place]
            failed = 0
            while before and before[-1]["event_type"] == "payment_failed":
                before.pop()
                failed += 1
            if large["event_type"] != "payment_captured" or not before or failed < 2:
                continue
            small = before[-1]
            near = large["ms"] - small["ms"] <= 10 * MINUTE
            if near and small["amount_cents"] < 500 and large["amount_cents"] > 10_000:
                yield {
                    **{name: large[name] for name in ("event_id", "card_id", "payment_id", "amount_cents")},
                    "alerted_at": large["ms"],
                    "first_payment_id": small["payment_id"],
                    "began_at": small["ms"],
                    "alerts": 1,
                }


def visits(events: list[Event], of: str, longest: int) -> Iterator[tuple[str, int, list[Event]]]:
    """Per value of the field `of`: runs of events without a pause of more than 30 minutes, their start, and what counts."""
    for value in {event[of] for event in events}:
        found: list[list[Event]] = []
        for event in sorted((e for e in events if e[of] == value), key=lambda e: int(e["ms"])):
            if not found or event["ms"] - found[-1][-1]["ms"] > 30 * MINUTE:
                found.append([])
            found[-1].append(event)
        for one in found:
            yield value, one[0]["ms"], [event for event in one if event["ms"] <= one[0]["ms"] + longest]


def click_through(events: list[Event]) -> Iterator[Row]:
    for search in (event for event in events if event["event_type"] == "search_made"):
        hour = range(search["ms"], search["ms"] + 60 * MINUTE + 1)
        clicks = [e for e in events if e["event_type"] == "product_clicked" and e["session_id"] == search["session_id"]]
        behind = sorted((e for e in clicks if e["ms"] >= search["ms"]), key=lambda e: (e["ms"], e["event_id"]))
        found = [e["ms"] for e in behind[:100] if e["ms"] in hour and e["product_id"] in search["product_ids"]]
        yield {
            **{name: search[name] for name in ("event_id", "session_id", "customer_id")},
            **{"term": search["query"].strip(" ").lower(), "searched_at": search["ms"], "searches": 1},
            **{"clicked_at": min(found, default=None), "clicks": len(found), "clicked": int(bool(found))},
        }


def viewed_together(events: list[Event]) -> Iterator[Row]:
    clicks = [event for event in events if event["event_type"] == "product_clicked"]
    for session, start, own in visits(clicks, "session_id", 60 * MINUTE):
        by_first_click = dict.fromkeys(e["product_id"] for e in sorted(own, key=lambda e: (e["ms"], e["product_id"])))
        products = sorted([*by_first_click][:30])
        for place, product in enumerate(products):
            for partner in products[place + 1 :]:
                pair = {"product_id": product, "partner_id": partner}
                yield {"session_id": session, "started_at": start, **pair, "sessions": 1}


def shop_visits(events: list[Event]) -> Iterator[Row]:
    steps = [e for e in events if e["event_type"] in ("search_made", "product_clicked", "order_placed")]
    for customer, start, counted in visits(steps, "customer_id", DAY):
        kinds = [event["event_type"] for event in counted]
        yield {
            **{"customer_id": customer, "started_at": start, "ended_at": counted[-1]["ms"]},
            "seconds": counted[-1]["ms"] // 1000 - start // 1000,
            "searches": kinds.count("search_made"),
            "clicks": kinds.count("product_clicked"),
            "orders": kinds.count("order_placed"),
            "converted": int("order_placed" in kinds),
            "visits": 1,
        }


def last(events: list[Event], kinds: str, of: str, key: str, at: int) -> Event | None:
    """The last event up to a time, by time and id, of those whose type begins with `kinds` and that have the key."""
    own = [e for e in events if e["event_type"].startswith(kinds) and e[of] == key and e["ms"] <= at]
    return max(own, key=lambda e: (e["ms"], e["event_id"]), default=None)


def clicks_with_customer(events: list[Event]) -> Iterator[Row]:
    for click in (event for event in events if event["event_type"] == "product_clicked"):
        found = last(events, "customer_", "customer_id", click["customer_id"], click["ms"])
        known = found if found and found["event_type"] != "customer_left" else None
        yield {
            **{name: click[name] for name in ("event_id", "session_id", "customer_id", "product_id")},
            **{"clicked_at": click["ms"], "clicks": 1, "known": int(known is not None)},
            **{name: known and known[name] for name in ("name", "region")},
            "known_since": known and known["ms"],
        }


def search_matches(events: list[Event]) -> Iterator[Row]:
    for listed in (event for event in events if event["event_type"] == "product_listed"):
        for search in {e["search_id"] for e in events if e["event_type"].startswith("search_") and "search_id" in e}:
            found = last([e for e in events if "search_id" in e], "search_", "search_id", search, listed["ms"])
            if not found or found["event_type"] == "search_removed" or not words_in(found["words"]):
                continue
            if set(words_in(found["words"])) <= set(words_in(listed["title"])):
                yield {
                    **{name: listed[name] for name in ("event_id", "product_id", "title")},
                    **{name: found[name] for name in ("search_id", "customer_id", "words")},
                    **{"listed_at": listed["ms"], "saved_at": found["ms"], "matches": 1},
                }


def open_orders_by_region(events: list[Event]) -> Iterator[Row]:
    for order in placed(events):
        longest = order["ms"] + 30 * DAY
        ends = [e for e in events if e["event_type"] in ("order_cancelled", "payment_captured")]
        ended = [e["ms"] for e in ends if e["order_id"] == order["order_id"] and order["ms"] <= e["ms"] < longest]
        end = min([*ended, longest])
        mine = [
            e for e in events if e["event_type"].startswith("customer_") and e["customer_id"] == order["customer_id"]
        ]
        starts = [order["ms"], *sorted({e["ms"] for e in mine if order["ms"] < e["ms"] < end})[:20]]
        for start, stop in zip(starts, [*starts[1:], end], strict=True):
            version = last(mine, "customer_", "customer_id", order["customer_id"], start)
            has_region = version and version["event_type"] != "customer_left"
            row = {name: order[name] for name in ("event_id", "order_id", "customer_id", "total_cents")}
            row |= {"open_from": start, "open_to": stop, "open_ms": stop - start, "ordered_at": order["ms"]}
            row |= {"region": version["region"] if version and has_region else None}
            yield row | {"orders": int(start == order["ms"]), "closed": int(stop == end < longest)}


def _window(start: int, size: int) -> Row:
    return {"window_start": start, "window_end": start + size}


def _cents(orders: list[Event]) -> int:
    return sum(int(event["total_cents"]) for event in orders)


def _paid(order: Event, payment: Event | None) -> Row:
    return {
        **{name: order[name] for name in ("order_id", "customer_id", "total_cents")},
        "ordered_at": order["ms"],
        "payment_status": "paid" if payment else "unpaid",
        "payment_id": payment and payment["payment_id"],
        "captured_at": payment and payment["ms"],
        "amount_cents": payment and payment["amount_cents"],
        "orders": 1,
        "paid_orders": int(payment is not None),
    }


ORACLE: dict[str, Callable[[list[Event]], Iterator[Row]]] = {
    one.__name__: one
    for one in (
        order_totals,
        orders_last_8_minutes,
        payment_health,
        payment_failures,
        order_value_percentiles,
        rolling_order_rate,
        order_payments,
        fraud_alerts,
        shop_visits,
        click_through,
        viewed_together,
        clicks_with_customer,
        search_matches,
        open_orders_by_region,
    )
}
