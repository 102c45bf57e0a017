"""Plan: what the code changes, compared with what runs, before anything moves: versions, settled days, records, numbers."""
