"""The names of the shop's programs, which infra/shop/parts.py declares.

Data flow: names -> members of the platform's programs
Run: daybreak status
"""

from infra.services.program import Name

CONNECT, CACHE, ORDER_SERVICE = Name("connect"), Name("cache"), Name("order-service")
FOLLOWER_INDEX, FOLLOWER_CACHE, FOLLOWER_ORDERS = (
    Name("follower-index"),
    Name("follower-cache"),
    Name("follower-orders"),
)
