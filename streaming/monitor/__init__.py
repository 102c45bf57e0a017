"""How far the stream is, and how fresh what it wrote is."""
