"""The changes of the shop's tables as Postgres's own decoder tells them, without Connect and Kafka: as Debezium reads them.

Data flow: replication slot -> messages of pgoutput -> Change
Source: PostgreSQL manual, "Logical Replication Message Formats".
"""

import struct
from collections.abc import Iterator

from infra.capture.envelope import CREATED, DELETED, UPDATED
from infra.shop.db.changes import Change, Row
from infra.shop.db.connection import Connection
from infra.shop.db.tables import KEYS, PUBLICATION

OPS = {b"I": CREATED, b"U": UPDATED, b"D": DELETED}


def changes(own: Connection, slot: str) -> Iterator[tuple[str, Change]]:
    """What has come since the last time: table and change."""
    asking = "SELECT lsn - '0/0'::pg_lsn, data FROM pg_logical_slot_get_binary_changes(%s, NULL, NULL, %s, %s, %s, %s)"
    given = [slot, "proto_version", "1", "publication_names", PUBLICATION]
    tables: dict[int, tuple[str, list[str]]] = {}
    transaction = 0
    for lsn, data in own.execute(asking, given).fetchall():
        kind = data[:1]
        if kind == b"B":
            (transaction,) = struct.unpack_from(">I", data, 17)
        elif kind == b"R":
            tables[struct.unpack_from(">I", data, 1)[0]] = _relation(data[5:])
        elif kind in OPS and tables[struct.unpack_from(">I", data, 1)[0]][0] in KEYS:
            table, names = tables[struct.unpack_from(">I", data, 1)[0]]
            rows = _rows(data[5:], names)
            before, after = rows.get("O"), rows.get("N")
            row = after or before or {}
            key = tuple(str(row[name]) for name in KEYS[table])
            yield table, Change(int(lsn), OPS[kind], key, before, after, transaction)


def _relation(data: bytes) -> tuple[str, list[str]]:
    _, name, rest = data.split(b"\0", 2)
    (count,) = struct.unpack_from(">H", rest, 1)
    rest, names = rest[3:], []
    for _ in range(count):
        column, tail = rest[1:].split(b"\0", 1)
        names.append(column.decode())
        rest = tail[8:]
    return name.decode(), names


def _rows(data: bytes, names: list[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    while data:
        which, data, row = data[:1].decode(), data[3:], dict[str, str | None]()
        for name in names:
            kind, data = data[:1], data[1:]
            if kind == b"t":
                (length,) = struct.unpack_from(">I", data)
                row[name], data = data[4 : 4 + length].decode(), data[4 + length :]
            else:
                row[name] = None
        found[which] = row
    return found
