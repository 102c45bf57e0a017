"""The shop's topics: one line each; those of an option are in force while it is on.

Data flow: contract files -> CONTRACTS
Run: pytest tests/streaming/test_contracts.py
"""

from infra.settings import settings
from infra.shop.options import ORDER_SERVICE, SHOP_DB
from streaming.contracts.contract import Contract
from streaming.shop.contracts.clicks import CLICKS
from streaming.shop.contracts.customers import CUSTOMERS
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.shop.contracts.orders import ORDERS
from streaming.shop.contracts.payments import PAYMENTS
from streaming.shop.contracts.products import PRODUCTS
from streaming.shop.contracts.saved_searches import SAVED_SEARCHES
from streaming.shop.contracts.searches import SEARCHES
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK

CONTRACTS: tuple[Contract, ...] = (
    ORDERS,
    PAYMENTS,
    SEARCHES,
    CLICKS,
    PRODUCTS,
    SAVED_SEARCHES,
    CUSTOMERS,
    *((SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS) if settings().has(SHOP_DB) else ()),
    *((COMMANDS, ANSWERS) if settings().has(ORDER_SERVICE) else ()),
)
"""In the order in which they are listed."""
