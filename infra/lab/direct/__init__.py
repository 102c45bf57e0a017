"""The lab of direct messaging: transports without a broker between the processes, and Kafka beside them."""
