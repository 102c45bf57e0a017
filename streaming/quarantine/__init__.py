"""What is told of records that were rejected."""
