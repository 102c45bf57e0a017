"""Every follower by its name.

Data flow: name -> System
Run: python -m infra.shop.followers cache
"""

from infra.failures import PermanentFailure
from infra.shop.followers.cache import CACHE
from infra.shop.followers.follower import System
from infra.shop.followers.index import INDEX

SYSTEMS = {one.name: one for one in (INDEX, CACHE)}


def system(name: str) -> System:
    """A follower by its name. Raises PermanentFailure for a name that is none."""
    if name not in SYSTEMS:
        raise PermanentFailure(f"{name!r} is no follower; there is {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
