"""The ledger of corrections, and its way to Kafka."""
