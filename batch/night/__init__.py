"""The night itself: its steps, its driver, and its upkeep."""
