"""Where the stream is: in the log, by offset, and in event time, by the watermark."""
