"""The lab of the queue: a queue broker, a share group of Kafka and a partition, with the same messages and the same deaths."""
