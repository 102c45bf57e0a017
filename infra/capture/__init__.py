"""Change capture with Debezium, of any database: the envelope of a change, its limits, the topics that changes go to."""
