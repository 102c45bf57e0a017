"""The archive, every record of the log for ever, and how it is read."""
