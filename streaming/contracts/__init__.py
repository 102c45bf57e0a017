"""The contracts in force: one line per topic; those of an option are in force while it is on.

Data flow: contract files -> CONTRACTS
Run: pytest tests/streaming/test_contracts.py
"""

from infra.options import ORDER_SERVICE, SHOP_DB
from infra.settings import settings
from streaming.contracts.clicks import CLICKS
from streaming.contracts.contract import Contract
from streaming.contracts.customers import CUSTOMERS
from streaming.contracts.order_service import ANSWERS, COMMANDS
from streaming.contracts.orders import ORDERS
from streaming.contracts.payments import PAYMENTS
from streaming.contracts.products import PRODUCTS
from streaming.contracts.saved_searches import SAVED_SEARCHES
from streaming.contracts.searches import SEARCHES
from streaming.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK

CONTRACTS: dict[str, Contract] = {
    contract.topic: contract
    for contract in (
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
}
"""Every topic the platform reads, by name."""
