"""The ledger of corrections, and its publication to Kafka."""
