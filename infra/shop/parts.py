"""All that the shop has on the platform's floor, as the platform asks for it.

Data flow: words only -> infra/registry.py
Run: daybreak up --with shop-db
"""

from infra.parts import Parts, When
from infra.shop.doors import KAFKA, POSTGRES
from infra.shop.options import OPTIONS

PARTS = Parts(
    title="the shop",
    settings="infra.shop.settings:ShopSettings",
    secrets={"cache_password": "cache_url", "connect_password": None},
    options=OPTIONS,
    programs={
        "connect": When.WITH_SERVICES,
        "cache": When.WITH_SERVICES,
        "follower-index": When.BEFORE_STREAM,
        "follower-cache": When.BEFORE_STREAM,
        "follower-orders": When.BEFORE_STREAM,
        "order-service": When.AFTER_STREAM,
    },
    roster="infra.shop.services.roster:programs",
    kafka=KAFKA,
    postgres=POSTGRES,
)
