"""From a clean clone to everything installed, with nothing but Python's standard library."""
