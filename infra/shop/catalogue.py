"""What the shop may sell: 500 products, each with a title, a brand and a usual price. The same in every run.

Data flow: number of a product -> Product; words -> the products that have them
Run: daybreak query "SELECT title, brand, price_cents FROM staging.stg_silver__products LIMIT 5"
"""

from random import Random
from typing import NamedTuple

LOOKS = (
    *("red", "blue", "green", "black", "white", "small", "large", "folding", "wooden", "steel"),
    *("glass", "cotton", "light", "quiet", "round", "soft", "warm", "plain", "striped", "recycled"),
)
THINGS = (
    *("mug", "kettle", "lamp", "chair", "desk", "rug", "towel", "pillow", "knife", "pan"),
    *("bottle", "backpack", "umbrella", "jacket", "scarf", "glove", "boot", "notebook", "pen", "clock"),
    *("radio", "speaker", "charger", "basket", "shelf"),
)
BRANDS = ("Alder", "Birk", "Cala", "Dorn", "Elba", "Fjäll", "Gran", "Hollin", "Isar", "Jura", "Kiel", "Lund")
PRODUCTS = len(LOOKS) * len(THINGS)
NOT_SOLD = ("left-handed", "solar", "edible", "inflatable", "antique")
"""Words of no title."""
ENDINGS = (99, 99, 95, 50, 0)


class Product(NamedTuple):
    """A product; numbers begin at 1, and smaller ones are more popular. The price is in cents."""

    number: int
    title: str
    brand: str
    price_cents: int


def _products() -> tuple[Product, ...]:
    # One catalogue for every run: a product does not change its title and its usual price with the seed.
    rng = Random("catalogue")
    prices = [100 * int(1 + rng.lognormvariate(2.6, 0.9)) + rng.choice(ENDINGS) for _ in range(PRODUCTS)]
    prices[CHEAP - 1], prices[DEAR - 1] = 249, 12_900
    return tuple(
        Product(n + 1, f"{LOOKS[n // len(THINGS)]} {THINGS[n % len(THINGS)]}", BRANDS[n * 7 % len(BRANDS)], price)
        for n, price in enumerate(prices)
    )


OPENING = 12
"""Products that a run begins with. They are never withdrawn, so a search always has a page of products to show."""
CHEAP, DEAR = 9, 4
"""Two of them: one far under 5.00, one over 100.00, whatever the price of the day."""
CATALOGUE = _products()


def alike(product: Product) -> range:
    """The numbers of all products that are the same thing, popular ones first."""
    return range((product.number - 1) % len(THINGS) + 1, PRODUCTS + 1, len(THINGS))
