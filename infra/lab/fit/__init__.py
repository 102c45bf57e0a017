"""What fits: direct messages, a queue or a log, by the figures of the labs."""
