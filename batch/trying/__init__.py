"""Trying: another version of the code computed beside the one in force, then put in its place, or removed."""
