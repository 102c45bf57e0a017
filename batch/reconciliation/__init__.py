"""Reconciliation: compare the stream's answer with the truth, and find the cause of each difference."""
