"""The tables of the stream and what their columns mean: bronze, silver and quarantine, speed, progress."""
