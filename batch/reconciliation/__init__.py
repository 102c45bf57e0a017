"""The stream's answer beside the truth, and the cause of each difference."""
