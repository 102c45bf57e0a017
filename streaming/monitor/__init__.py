"""Monitoring of the stream: lag, and freshness of the tables that it writes."""
