"""The contracts in force: one line per topic.

Data flow: contract files -> CONTRACTS
Run: pytest tests/streaming/test_contracts.py
"""

from streaming.contracts.clicks import CLICKS
from streaming.contracts.contract import Contract
from streaming.contracts.customers import CUSTOMERS
from streaming.contracts.orders import ORDERS
from streaming.contracts.payments import PAYMENTS
from streaming.contracts.products import PRODUCTS
from streaming.contracts.saved_searches import SAVED_SEARCHES
from streaming.contracts.searches import SEARCHES

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
    )
}
"""Every topic the platform reads, by name."""
