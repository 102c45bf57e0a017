"""Conservation: check that every record of the log is in the tables exactly once, and accept gaps of the log."""
