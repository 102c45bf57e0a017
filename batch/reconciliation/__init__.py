"""What the stream said beside the truth, and the cause of each difference."""
