"""The truth: views computed from whole days of the archive."""
