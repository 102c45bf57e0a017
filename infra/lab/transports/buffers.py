"""The buffers of sockets, which hold what has been sent and not read: as large as a lab wants them.

Data flow: Wire -> a socket's options
Run: daybreak lab overload

They are set before a socket is connected: the windows of a TCP connection follow from them.
"""

import socket

from infra.lab.transports.transport import Wire


def limit(one: socket.socket, wire: Wire) -> None:
    """Give a socket the wire's buffers, if it has a limit. The kernel doubles the figure, for what it keeps beside the bytes."""
    if wire.socket_bytes is not None:
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            one.setsockopt(socket.SOL_SOCKET, option, wire.socket_bytes)
