"""The simulator: a web shop that sends events to Kafka. It is traffic, not platform."""
