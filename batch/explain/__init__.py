"""Explain: why a number is as it is. The answers to one row of a view in the order of time, and the events behind each."""
