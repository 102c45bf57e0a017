"""What a start does first, where something is missing or older than it was."""
