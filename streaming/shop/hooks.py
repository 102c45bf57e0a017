"""What the shop does beside its topics and views, on every floor: its traffic, its database, its orders.

Data flow: names of modules only -> streaming/hooks.py
Run: daybreak --help
"""

from streaming.hooks import Hooks

HOOKS = Hooks(
    commands={
        "shop": "streaming.shop.commands.traffic",
        "demo": "batch.shop.commands.demo",
        "state": "batch.shop.commands.state",
        "shop-db": "batch.shop.commands.shop_db",
        "follower": "batch.shop.commands.follower",
        "order": "infra.shop.commands.order",
    },
    labs=("infra.shop.commands.labs", "batch.shop.commands.cqrs"),
    looks={
        "followers": "infra.shop.services.standing_still:followers",
        "orders": "infra.shop.services.standing_still:order_service",
        "capture": "infra.shop.services.standing_still:capture",
        "migrations": "batch.shop.migrations:migrations",
    },
    for_gold="batch.shop.warehouse:known",
    writers="streaming.shop.writers:writers",
    lag="streaming.shop.slot_lag:lag",
)
