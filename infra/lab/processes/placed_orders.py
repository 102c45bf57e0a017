"""The orders of the lab: as the shop's customers place them, numbered by their lines.

Data flow: seed -> the shop's orders -> a file, one a line
Run: daybreak lab direct
"""

from pathlib import Path
from random import Random

from infra.shop.assortment import Assortment
from infra.shop.people import guest
from infra.shop.purchase import placed

OPENED_MS = 1_767_225_600_000
"""2026-01-01: when the lab's first order was placed. No figure depends on it."""


def write_orders(file: Path, count: int, seed: int) -> None:
    """Write `count` orders, line n is order n. The same seed writes the same."""
    rng, on_sale = Random(seed), Assortment()
    on_sale.open(rng, OPENED_MS)
    with file.open("wb") as out:
        for number in range(count):
            *_, order = placed(rng, OPENED_MS + number, guest(rng), on_sale.basket(rng))
            out.write(order.value + b"\n")
