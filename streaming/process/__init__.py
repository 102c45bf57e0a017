"""What the stream's process does beside its micro-batches."""
