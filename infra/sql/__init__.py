"""SQL: the gateway, and gold, which dbt builds through it."""
