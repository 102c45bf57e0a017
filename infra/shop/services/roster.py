"""Which of the shop's programs the settings ask for.

Data flow: Settings -> Programs -> infra/services/roster.py
Run: daybreak status
"""

from infra.services.program import Program
from infra.settings import Settings
from infra.shop.options import ORDER_SERVICE, SHOP_DB
from infra.shop.services import cache, connect, follower, orders


def programs(s: Settings) -> list[Program]:
    """Those of the options that are on; a cache of yours is not among them."""
    found: list[Program] = []
    if s.has(SHOP_DB):
        found += [connect.program(s), *follower.programs(s)]
        if s.embedded("cache_url"):
            found.append(cache.program(s))
    if s.has(ORDER_SERVICE):
        found.append(orders.program(s))
    return found
