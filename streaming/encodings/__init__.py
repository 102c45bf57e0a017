"""How a value is written: JSON, Avro, Protobuf, a database's change; each as JSON text, which is what contracts read."""
