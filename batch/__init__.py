"""The same shapes again, from the whole log; the comparison; the corrections."""
