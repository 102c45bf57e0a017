"""A project to begin with: one topic, one view, examples and tests. `daybreak new` copies it."""
