"""How much is made in the lab of overload, and how much each buffer holds of it.

Data flow: orders and their rate -> limits of queues, sockets and memory
Run: daybreak lab overload
"""

from dataclasses import dataclass
from pathlib import Path

TIMES = 4
"""So many times is the producer as fast as the consumer."""
BUFFERS = 20
"""A buffer holds one message of so many."""
MESSAGE_BYTES = 350
MEMORY_BYTES, LEAST_BYTES = 128, 2_000_000
"""What a queue without a limit may take for each order of the lab, and at least. One that waits takes some 600, and three of four
do; the first connections take more than a million."""


@dataclass(frozen=True)
class Load:
    """The orders' file, how many there are, and how many are made per second."""

    orders_file: Path
    count: int
    rate: float

    @property
    def high_water(self) -> int:
        """Messages that a queue holds."""
        return max(self.count // BUFFERS, 1)

    @property
    def socket_bytes(self) -> int:
        """What a socket's buffer holds, so that those of both ends together hold about a queue's messages."""
        return self.high_water * MESSAGE_BYTES // 4

    @property
    def memory(self) -> int:
        """Bytes that a producer whose queue has no limit may have more than at its start."""
        return LEAST_BYTES + self.count * MEMORY_BYTES
