"""What anybody on this machine gets from the ports of some processes, who says nothing or something wrong.

Data flow: processes -> the ports they listen at -> an HTTP request -> its status, or None where nobody speaks HTTP
Run: pytest tests/infra/test_spark_page.py
"""

import base64
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress

import psutil

SECONDS, QUIET_SECONDS = 60.0, 10.0
"""Longest wait for an answer; and after which a port that may say nothing has nothing to say."""
PATHS = (
    "/",
    "/jobs/",
    "/environment/",
    "/SQL/",
    "/executors/",
    "/static/webui.js",
    "/api/v1/applications",
    "/api/v1/version",
    "/metrics/json/",
    "/metrics/executors/prometheus",
    "/json/",
    "/logPage/",
    "/log/",
    "/proxy/1",
    "/nothing-is-here",
    "/static/../environment/",
    "/environment/;a=b",
    "/%65nvironment/",
)
ODD = ("//environment/", "/static/%2e%2e/environment/", "/environment/..;/", "*")
"""Paths that the server itself may refuse before it asks anybody."""
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


def basic(login: str, scheme: str = "Basic") -> str:
    """The header of HTTP's simplest login; `login` is user:password."""
    return f"Authorization: {scheme} {base64.b64encode(login.encode()).decode()}\r\n"


def ears(pids: Iterable[int]) -> Iterator[int]:
    """Every port at which one of these processes, or one of their children, listens."""
    for pid in pids:
        for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                yield from (one.laddr.port for one in process.net_connections() if one.status == psutil.CONN_LISTEN)


def asked(port: int, path: str = "/", method: str = "GET", header: str = "") -> tuple[int, str] | None:
    """Status and text of the answer, sent as it stands, since clients mend a path; None if it is no HTTP."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as wire:
        wire.settimeout(SECONDS)
        wire.sendall(f"{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n{header}\r\n".encode())
        # What speaks no HTTP may wait for more, or be gone.
        with suppress(ConnectionResetError, BrokenPipeError):
            wire.shutdown(socket.SHUT_WR)
        said = b""
        with suppress(OSError):
            while more := wire.recv(65536):
                said += more
    text = said.decode(errors="replace")
    return (int(text.split()[1]), text) if text.startswith("HTTP/") else None


def called(port: int) -> str:
    """What Spark's own protocol answers to a request from nobody (org.apache.spark.network.protocol.RpcRequest)."""
    body = b"\xac\xed"
    payload = struct.pack(">bqi", 3, 7, len(body)) + body
    with socket.create_connection(("127.0.0.1", port), SECONDS) as wire:
        wire.settimeout(QUIET_SECONDS)
        wire.sendall(struct.pack(">q", len(payload) + 8) + payload)
        # The answer has its length in front; a port of something else may close, or wait for more.
        said = b""
        with suppress(OSError):
            while len(said) < 64 and (more := wire.recv(65536)):
                said += more
    return said.decode(errors="replace")
