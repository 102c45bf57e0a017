"""Kafka -> bronze -> silver -> speed. Every shape is defined here, where data first takes it."""
