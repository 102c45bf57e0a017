"""A day of the night, and its plan: which views of it are done, and why."""
