"""Which event times a producer's right clock can make: those near enough to the record's arrival.

Data flow: constants -> rules of the stream, watermark, order service, followers
Run: pytest tests/streaming/test_validate.py
"""

from datetime import timedelta

AHEAD = timedelta(minutes=5)
"""How far an event time may be ahead of its arrival, or of the clock of the machine that reads it."""
OLDEST = timedelta(days=366)
"""How much older than its arrival an event may be; of an older one the producer's clock is probably wrong."""
MILLISECOND = timedelta(milliseconds=1)
