"""What a night costs: its real steps on a day of the simulator's, against one thread of DuckDB that recomputes the day.

Not a part of the night, and not started by it.
"""
