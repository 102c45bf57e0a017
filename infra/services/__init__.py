"""The platform's processes: what they are, how they start, how one sees that they work."""
