"""What is on sale: it grows from the opening on, prices change, products are withdrawn and come back.

Data flow: moments, seeded random numbers -> events of topic `products`; what is on sale -> pages and baskets
Run: daybreak query "SELECT event_type, count(*) FROM staging.stg_silver__products GROUP BY event_type"
"""

from bisect import bisect_left, insort
from random import Random
from typing import NamedTuple

from infra.shop.catalogue import CATALOGUE, OPENING, PRODUCTS, Product, alike
from infra.shop.event import Event, event, rank

FULL = PRODUCTS - 50
"""Products on sale at most; so there is always one that a customer looks for in vain."""
LISTS, WITHDRAWS = 0.6, 0.1
"""While there is room, six changes in ten list a product; one in ten withdraws one; the others change a price."""
CHEAPER, DEARER = 0.8, 1.25
"""Bounds of a price of the day, as a multiple of the usual price."""
PAGE = 8
"""Products that a search shows."""
BASKET_SIZES = (1,) * 45 + (2,) * 27 + (3,) * 15 + (4,) * 8 + (5,) * 5
QUANTITIES = (1,) * 85 + (2,) * 10 + (3,) * 4 + (6,)


class Line(NamedTuple):
    """One line of a basket; the price is in cents."""

    product_id: str
    quantity: int
    unit_price_cents: int


class Assortment:
    """The products on sale and their prices. It holds one price per product, whatever the length of the run."""

    def __init__(self) -> None:
        self._on_sale: list[int] = []
        self._prices: dict[int, int] = {}

    def open(self, rng: Random, moment_ms: int) -> list[Event]:
        """List the first products."""
        return [self._list(rng, moment_ms, product) for product in CATALOGUE[:OPENING]]

    def change(self, rng: Random, moment_ms: int) -> Event:
        """List, change or withdraw one product: always one event, so that the rate does not depend on what is on sale."""
        choice = rng.random()
        if choice < LISTS and len(self._on_sale) < FULL:
            return self._list(rng, moment_ms, self.missing(rng))
        number = self._on_sale[int(rng.random() * len(self._on_sale))]
        if choice >= 1 - WITHDRAWS and number > OPENING:
            self._on_sale.remove(number)
            return event(rng, "products", "product_withdrawn", moment_ms, f"p-{number}", f'"product_id":"p-{number}"')
        product = CATALOGUE[number - 1]
        self._prices[number] = round(product.price_cents * (CHEAPER + rng.random() * (DEARER - CHEAPER)))
        return event(rng, "products", "product_changed", moment_ms, f"p-{number}", self._fields(product))

    def wanted(self, rng: Random) -> Product:
        """A product on sale, popular ones more often."""
        return CATALOGUE[self._on_sale[rank(rng, len(self._on_sale), 10)] - 1]

    def missing(self, rng: Random) -> Product:
        """A product that is not on sale."""
        while self._is_on_sale(number := rank(rng, PRODUCTS, 100) + 1):
            pass
        return CATALOGUE[number - 1]

    def page(self, rng: Random, product: Product, is_named: bool) -> list[int]:
        """PAGE numbers of products on sale: `product` if it `is_named`, those like it, popular ones first, then others."""
        like = [number for number in alike(product) if self._is_on_sale(number)]
        found = list(dict.fromkeys([product.number, *like] if is_named else like))[:PAGE]
        while len(found) < PAGE:
            other = self.wanted(rng).number
            if other not in found:
                found.append(other)
        return found

    def basket(self, rng: Random) -> list[Line]:
        """One to five different products, as a guest buys them."""
        size = BASKET_SIZES[int(rng.random() * len(BASKET_SIZES))]
        return self.lines(rng, sorted({self.wanted(rng).number for _ in range(size)}))

    def lines(self, rng: Random, numbers: list[int]) -> list[Line]:
        """Lines of some products, at the prices of now."""
        return [self.line(number, QUANTITIES[int(rng.random() * len(QUANTITIES))]) for number in numbers]

    def line(self, number: int, quantity: int = 1) -> Line:
        """A line of one product, at the price of now."""
        return Line(f"p-{number}", quantity, self._prices[number])

    def _list(self, rng: Random, moment_ms: int, product: Product) -> Event:
        insort(self._on_sale, product.number)
        self._prices.setdefault(product.number, product.price_cents)
        return event(rng, "products", "product_listed", moment_ms, f"p-{product.number}", self._fields(product))

    def _is_on_sale(self, number: int) -> bool:
        at = bisect_left(self._on_sale, number)
        return at < len(self._on_sale) and self._on_sale[at] == number

    def _fields(self, product: Product) -> str:
        named = f'"product_id":"p-{product.number}","title":"{product.title}","brand":"{product.brand}"'
        return f'{named},"price_cents":{self._prices[product.number]}'
