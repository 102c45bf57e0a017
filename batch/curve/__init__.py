"""Latency against completeness: how complete the stream's views would have been with another allowed lateness."""
