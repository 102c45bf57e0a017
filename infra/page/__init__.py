"""What Daybreak's own HTML pages share: their look, their tables, and how they are written."""
