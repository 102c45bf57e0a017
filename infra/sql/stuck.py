"""A JVM whose memory is so full that it gives no answer is ended, so that it can be started again.

Data flow: a block that asks a JVM something, its process id -> the end of the block, or of the JVM
Run: pytest tests/infra/test_stuck.py
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STUCK_SECONDS = 60.0
"""How long it may take: in a heap that is full each question waits for a collection of seconds."""


@contextmanager
def ends_when_stuck(jvm_pid: int, seconds: float = STUCK_SECONDS) -> Iterator[None]:
    """Kill the JVM if the block, which asks it something, takes longer: nobody else gets an answer either."""
    timer = threading.Timer(seconds, os.kill, (jvm_pid, signal.SIGKILL))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
