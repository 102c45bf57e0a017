"""Is everything in the log in the tables once? Offsets are counted, and gaps are accepted here."""
