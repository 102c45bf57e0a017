"""The lake: tables, their writes and their upkeep, and the store they lie in."""
