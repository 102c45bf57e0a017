"""The batch layer: recompute days from the whole log, compare them with the stream's answers, write corrections."""
