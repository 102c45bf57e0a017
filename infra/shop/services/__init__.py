"""The shop's programs: how they run, and how one is told that stands still."""
