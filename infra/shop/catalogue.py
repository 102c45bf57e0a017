"""Who buys what: customers with habits, their cards, products with prices.

Data flow: seeded random numbers -> customer, card, basket
Run: daybreak shop --days 1
Source: ranks follow the Zipf-Mandelbrot law, 1/(rank + q), by its inverse distribution function.
"""

from random import Random
from typing import NamedTuple

CUSTOMERS = 200_000
PRODUCTS = 500
BASKET_SIZES = (1,) * 45 + (2,) * 27 + (3,) * 15 + (4,) * 8 + (5,) * 5
QUANTITIES = (1,) * 85 + (2,) * 10 + (3,) * 4 + (6,)
ENDINGS = (99, 99, 95, 50, 0)


class Line(NamedTuple):
    """One line of a basket; the price is in cents."""

    product_id: str
    quantity: int
    unit_price_cents: int


def _prices() -> tuple[int, ...]:
    # One catalogue for every run: a product does not change its price with the seed.
    rng = Random("catalogue")
    return tuple(100 * int(1 + rng.lognormvariate(2.6, 0.9)) + rng.choice(ENDINGS) for _ in range(PRODUCTS))


PRICES = _prices()


def _rank(rng: Random, size: int, q: float) -> int:
    """A rank in 0..size-1, small ones more often; the larger `q`, the flatter."""
    return min(int(q * ((1 + size / q) ** rng.random() - 1)), size - 1)


def customer(rng: Random) -> int:
    """A customer's number. The best one places an order in 19,000; the median one, an order in 390,000."""
    return _rank(rng, CUSTOMERS, 5000) + 1


def card_of(rng: Random, number: int) -> str:
    """The card a customer pays with: mostly the first of one to three."""
    cards = number % 3 + 1
    return f"card-{number * 10 + int(cards * rng.random() ** 2)}"


def basket(rng: Random) -> list[Line]:
    """One to five different products."""
    ranks = {_rank(rng, PRODUCTS, 10) for _ in range(BASKET_SIZES[int(rng.random() * len(BASKET_SIZES))])}
    return [
        Line(f"p-{rank + 1}", QUANTITIES[int(rng.random() * len(QUANTITIES))], PRICES[rank]) for rank in sorted(ranks)
    ]
