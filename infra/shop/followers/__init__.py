"""Derived systems that follow the captured tables; each can be thrown away and rebuilt from the log."""
