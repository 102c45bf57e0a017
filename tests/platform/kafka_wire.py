"""Kafka's protocol by hand, as far as its door goes: what somebody hears who says no user, a wrong one, or the right one.

Data flow: port, user, password -> SaslHandshake, SaslAuthenticate (SCRAM-SHA-512) -> None, or the broker's words
Run: pytest tests/platform/doors
Source: Kafka's protocol guide, "SASL Authentication Sequence"; RFC 5802.
"""

import hashlib
import hmac
import secrets
import socket
import struct
from base64 import b64decode, b64encode

SASL_HANDSHAKE, SASL_AUTHENTICATE, METADATA = 17, 36, 3
SECONDS = 20
CLOSED = "the connection is closed"


class Wire:
    """One connection."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), SECONDS)

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, api: int, version: int, body: bytes) -> bytes:
        """The answer behind its number. Raises ConnectionError if there is none."""
        head = struct.pack(">hhih", api, version, 1, -1)
        self._socket.sendall(struct.pack(">i", len(head + body)) + head + body)
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)[4:]

    def _read(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if not (part := self._socket.recv(size - len(found))):
                raise ConnectionError(CLOSED)
            found += part
        return found


def unasked(port: int) -> str | None:
    """What somebody hears who asks for all topics and has not said who he is; None if he is told."""
    with Wire(port) as wire:
        try:
            wire.ask(METADATA, 1, struct.pack(">i", -1))
        except ConnectionError as failure:
            return str(failure)
    return None


def refusal(port: int, user: str, password: str) -> str | None:
    """What a user hears who logs in; None if he may."""
    with Wire(port) as wire:
        wire.ask(SASL_HANDSHAKE, 1, _text("SCRAM-SHA-512"))
        first, nonce = f"n={user},r=", secrets.token_hex(16)
        error, said, answer = _authenticate(wire, f"n,,{first}{nonce}".encode())
        if error:
            return said
        parts = dict(part.split("=", 1) for part in answer.decode().split(","))
        salted = hashlib.pbkdf2_hmac("sha512", password.encode(), b64decode(parts["s"]), int(parts["i"]))
        key = hmac.digest(salted, b"Client Key", "sha512")
        last = f"c={b64encode(b'n,,').decode()},r={parts['r']}"
        signed = f"{first}{nonce},{answer.decode()},{last}".encode()
        signature = hmac.digest(hashlib.sha512(key).digest(), signed, "sha512")
        proof = b64encode(bytes(a ^ b for a, b in zip(key, signature, strict=True))).decode()
        error, said, _ = _authenticate(wire, f"{last},p={proof}".encode())
        return said if error else None


def _authenticate(wire: Wire, said: bytes) -> tuple[int, str, bytes]:
    """Error, the broker's words, and its part of the exchange."""
    answer = wire.ask(SASL_AUTHENTICATE, 0, struct.pack(">i", len(said)) + said)
    error, size = struct.unpack_from(">hh", answer)
    told, rest = answer[4 : 4 + max(size, 0)], answer[4 + max(size, 0) :]
    return error, told.decode(), rest[4:]


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()
