"""The state of views by part and by window, in Spark's state store: the events of each part, and its open rows."""
