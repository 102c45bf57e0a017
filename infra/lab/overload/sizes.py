"""Where what waits is kept, in bytes: the memory of a process, the system's buffers of sockets, files.

Data flow: /proc, file sizes -> bytes
Run: daybreak lab overload
"""

import socket
import struct
from collections.abc import Iterable
from pathlib import Path

import psutil


def resident(pids: Iterable[int]) -> int:
    """Memory that processes have now (RSS); 0 of one that has ended."""
    found = 0
    for pid in pids:
        try:
            found += psutil.Process(pid).memory_info().rss
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found


def in_files(folders: Iterable[Path]) -> int:
    """Bytes of the files in folders and theirs. A file that is deleted meanwhile has none."""
    found = 0
    for folder in folders:
        for file in folder.rglob("*"):
            try:
                # What is on the disk: an index of a log is as long as it may become, and empty.
                found += file.stat().st_blocks * 512
            except FileNotFoundError:
                continue
    return found


def in_sockets(host: str) -> int:
    """Bytes that wait in the buffers of the sockets of an address, sent and not read, as the system counts them."""
    address = f"{struct.unpack('=I', socket.inet_aton(host))[0]:08X}"
    return sum(_waiting(Path("/proc/net", kind).read_text(), address) for kind in ("udp", "tcp"))


def _waiting(text: str, address: str) -> int:
    found = 0
    for line in text.splitlines()[1:]:
        _, local, remote, _, queues, *_ = line.split()
        if local.startswith(address) or remote.startswith(address):
            to_send, to_read = queues.split(":")
            found += int(to_send, 16) + int(to_read, 16)
    return found
