"""Every follower by its name.

Data flow: name -> System
Run: python -m infra.shop.followers cache
"""

from collections.abc import Mapping

from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.shop.followers.cache import CACHE
from infra.shop.followers.follower import System
from infra.shop.followers.index import INDEX
from infra.shop.followers.orders import ORDERS
from infra.shop.options import ORDER_SERVICE


def systems(s: Settings) -> Mapping[str, System]:
    """The followers that are on: without the order service the shop writes the rows of its orders itself."""
    return {one.name: one for one in (INDEX, CACHE, *((ORDERS,) if s.has(ORDER_SERVICE) else ()))}


def system(s: Settings, name: str) -> System:
    """A follower by its name. Raises PermanentFailure for a name that is none, or whose option is off."""
    if name not in systems(s):
        raise PermanentFailure(f"{name!r} is no follower; there is {', '.join(systems(s))}")
    return systems(s)[name]
