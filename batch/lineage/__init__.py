"""What a night says of itself in OpenLineage's form: its steps, and the tables that they did read and write."""
