"""SQL: the gateway, and gold behind it."""
