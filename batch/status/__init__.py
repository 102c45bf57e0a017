"""What is asked of the nights from outside: problems, unsettled days, metrics."""
