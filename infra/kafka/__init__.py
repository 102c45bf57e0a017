"""Kafka: sending, reading what is committed, and what was sent."""
