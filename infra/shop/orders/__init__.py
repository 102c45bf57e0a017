"""The order service: the one writer of orders, which accepts or rejects commands (option order-service)."""
