"""Labs: small experiments on the running broker that measure what Kafka promises."""
