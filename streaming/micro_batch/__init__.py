"""One micro-batch, from Kafka into every table."""
