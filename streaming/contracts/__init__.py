"""The contracts in force: one line per topic.

Data flow: contract files -> CONTRACTS
Run: pytest tests/streaming/test_contracts.py
"""

from streaming.contracts.contract import Contract
from streaming.contracts.orders import ORDERS
from streaming.contracts.payments import PAYMENTS

CONTRACTS: dict[str, Contract] = {
    contract.topic: contract
    for contract in (
        ORDERS,
        PAYMENTS,
    )
}
"""Every topic the platform reads, by name."""
