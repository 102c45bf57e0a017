"""Is a port free, and who has it if not?

Data flow: port -> None, or its owner
Run: daybreak doctor
"""

import socket

import psutil

from infra.failures import PermanentFailure
from infra.services.program import Program


def owner(port: int) -> str | None:
    """None if the port on loopback is free, else the process that has it, in words."""
    with socket.socket() as probe:
        # As servers do: a closed connection that lingers does not make a port taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return _listener(port)
    return None


def _listener(port: int) -> str:
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.laddr and connection.laddr.port == port and connection.pid:
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    except (psutil.AccessDenied, psutil.NoSuchProcess):
        pass
    return "another process"


def check(program: Program) -> None:
    """Raise PermanentFailure, naming port and setting, if a port of the program is taken."""
    for setting, port in program.ports.items():
        if taken_by := owner(port):
            raise PermanentFailure(
                f"port {port} of {program.name} is taken by {taken_by}; stop that, or set "
                f"DAYBREAK_{setting.upper()} (or DAYBREAK_PORT_BASE, which moves all ports) to another one"
            )
