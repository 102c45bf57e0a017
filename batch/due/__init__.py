"""Which days the night has to do, and why."""
