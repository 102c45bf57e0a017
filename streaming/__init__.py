"""The speed layer: Kafka -> bronze -> silver -> speed. Every schema, contract and view is defined here."""
