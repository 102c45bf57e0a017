"""What a record is: accepted, or rejected with every reason."""
