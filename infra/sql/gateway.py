"""The SQL gateway's client: run statements, and register the lake's tables.

Data flow: SQL -> Spark Thrift server -> columns and rows; Delta tables of the lake -> the gateway's catalogue
Run: python -m infra.sql.gateway register
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import urllib3
from minio.error import MinioException
from pyhive import exc, hive
from thrift.transport.TTransport import TTransportException

from infra.cause import sentence
from infra.failures import PermanentFailure, TransientFailure, reported
from infra.lake.s3 import client
from infra.lake.tables import WRITERS, Writer
from infra.settings import Settings, settings


@dataclass(frozen=True)
class Answer:
    """What a statement gave: column names and rows, in the statement's order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


UNKNOWN_TABLE = "daybreak tables lists the tables; SQL knows a new one after `python -m batch.gold build`"


class Gateway:
    """One session of the gateway. ANSI and UTC are settings of the server, as in every Spark session here."""

    def __init__(self, connection: hive.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str) -> Answer:
        """Run one statement. Raises PermanentFailure with the gateway's reason if it is refused."""
        with self._connection.cursor() as cursor:
            try:
                cursor.execute(statement)
                columns = tuple(column[0] for column in cursor.description or ())
                rows = tuple(tuple(row) for row in cursor.fetchall()) if columns else ()
            except exc.Error as failure:
                reason = _reason(failure)
                hint = f" ({UNKNOWN_TABLE})" if "TABLE_OR_VIEW_NOT_FOUND" in f"{failure}" else ""
                raise PermanentFailure(f"the gateway refused the statement: {reason}{hint}") from failure
            except (TTransportException, OSError) as failure:
                raise TransientFailure(f"the SQL gateway went away during a statement: {failure}") from failure
        return Answer(columns, rows)


@contextmanager
def opened(user: str = "daybreak") -> Iterator[Gateway]:
    """A session of the gateway. Raises TransientFailure if it does not answer."""
    s = settings()
    try:
        connection = hive.connect(host=s.gateway_host, port=s.gateway_port, username=user, auth="NONE")
    except (TTransportException, OSError) as failure:
        raise TransientFailure(
            f"the SQL gateway does not answer at {s.gateway_host}:{s.gateway_port} (daybreak status says why)"
        ) from failure
    try:
        yield Gateway(connection)
    finally:
        connection.close()


def delta_tables(s: Settings) -> Iterator[tuple[str, str]]:
    """Every `(layer, name)` under the lake root that has a Delta log. Raises TransientFailure without the store."""
    store = client(s)
    try:
        for layer in WRITERS:
            for folder in store.list_objects(s.bucket, f"{layer}/"):
                name = (folder.object_name or "").removeprefix(f"{layer}/").rstrip("/")
                if name and any(True for _ in store.list_objects(s.bucket, f"{layer}/{name}/_delta_log/")):
                    yield layer, name
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        raise TransientFailure(
            f"the object store at {s.s3_endpoint} does not list bucket {s.bucket!r}: {failure}"
        ) from failure


def register() -> list[str]:
    """Make every table of the lake known to the gateway as `layer.name`; gold is dbt's own. Returns their names."""
    s = settings()
    found = [table for table in delta_tables(s) if WRITERS[table[0]] is not Writer.GATEWAY]
    with opened() as gateway:
        for layer in sorted({layer for layer, _ in found}):
            gateway.execute(f"CREATE DATABASE IF NOT EXISTS {layer}")
        for layer, name in found:
            gateway.execute(f"CREATE TABLE IF NOT EXISTS {layer}.{name} USING DELTA LOCATION '{s.lake}/{layer}/{name}'")
    return [f"{layer}.{name}" for layer, name in found]


def _reason(failure: exc.Error) -> str:
    """Spark's sentence inside the Thrift error; Thrift's own first line if there is none."""
    said = failure.args[0] if failure.args else failure
    status = getattr(said, "status", None)
    told = getattr(status, "errorMessage", None) or next(iter(getattr(status, "infoMessages", None) or ()), "")
    # `*<class>:<message>:<line>:<depth>`
    told = re.sub(r"^\*[\w.]+:|:\d+:\d+$", "", told)
    return sentence(told or str(said)) or type(failure).__name__


if __name__ == "__main__":
    with reported():
        if sys.argv[1:] != ["register"]:
            raise PermanentFailure("usage: python -m infra.sql.gateway register")
        print("\n".join(register()))
