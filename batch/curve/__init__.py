"""Latency against completeness: what another allowed lateness would have given."""
