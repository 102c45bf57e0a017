"""The lake: tables, their writes and maintenance, and the object store that holds them."""
