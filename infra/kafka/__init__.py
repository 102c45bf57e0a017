"""Kafka clients: send records, read committed records, and keep a ledger of what was sent."""
