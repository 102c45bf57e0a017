"""A message of the lab: an order of the shop, its number, and when it was to be sent.

Data flow: number, moment, order <-> bytes
Run: daybreak lab direct
"""

import struct
from typing import NamedTuple

HEAD = struct.Struct(">QQ")


class Numbered(NamedTuple):
    """An order's number (from 0), the moment at which it was due (ns of the machine's monotonic clock), and its JSON."""

    number: int
    due_ns: int
    value: bytes

    def packed(self) -> bytes:
        """The bytes that travel."""
        return HEAD.pack(self.number, self.due_ns) + self.value

    @staticmethod
    def read(message: bytes) -> "Numbered":
        """What `packed` wrote. Raises ValueError for anything shorter than its head."""
        if len(message) < HEAD.size:
            raise ValueError(f"a message of {len(message)} bytes is no order: its head alone has {HEAD.size}")
        number, due_ns = HEAD.unpack_from(message)
        return Numbered(number, due_ns, message[HEAD.size :])
