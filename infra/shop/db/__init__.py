"""The shop's database, and how its changes reach Kafka (option shop-db)."""
