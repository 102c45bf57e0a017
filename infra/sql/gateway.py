"""The SQL gateway's client: run statements, and register the lake's tables.

Data flow: SQL -> Spark Thrift server -> columns and rows; Delta tables of the lake -> the gateway's catalogue
Run: python -m infra.sql.gateway register
"""

import re
import ssl
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import urllib3
from minio.error import MinioException
from pyhive import exc, hive
from thrift.Thrift import TException

from infra.cause import sentence
from infra.failures import PermanentFailure, TransientFailure, reported
from infra.lake.login import failed
from infra.lake.s3 import client
from infra.lake.tables import WRITERS, Writer
from infra.settings import Settings, settings
from infra.sql.reach import reached
from infra.sql.users import Role


@dataclass(frozen=True)
class Answer:
    """What a statement gave: column names and rows, in the statement's order."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_whole: bool = True
    """False if there are more rows than were asked for."""


WRONG_PASSWORD = "Error validating the login"
"""Hive's words."""
UNKNOWN_TABLE = "daybreak tables lists the tables; SQL knows a new one after `python -m batch.gold build`"


class Gateway:
    """One session of the gateway. ANSI and UTC are settings of the server, as in every Spark session here."""

    def __init__(self, connection: hive.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, most: int | None = None) -> Answer:
        """Run one statement, and fetch its rows, at most `most` of them.

        Raises PermanentFailure with the gateway's reason if it is refused, TransientFailure if the gateway goes away.
        """
        cursor = self._connection.cursor()
        try:
            cursor.execute(statement)
            columns = tuple(column[0] for column in cursor.description or ())
            rows = (cursor.fetchall() if most is None else cursor.fetchmany(most + 1)) if columns else ()
        except exc.Error as failure:
            raise _refused(failure) from failure
        except (TException, OSError, EOFError) as failure:
            raise TransientFailure(
                f"the SQL gateway went away during a statement ({_words(failure)}); it starts again by itself, and "
                "daybreak logs gateway says why it ended"
            ) from failure
        finally:
            # A gateway that is gone has closed it already.
            with suppress(exc.Error, TException, OSError, EOFError):
                cursor.close()
        return Answer(columns, tuple(map(tuple, rows[:most])), most is None or len(rows) <= most)


@contextmanager
def opened(role: Role = Role.READER) -> Iterator[Gateway]:
    """A session of the gateway. Raises TransientFailure if it does not answer, PermanentFailure if it refuses the password."""
    s = settings()
    try:
        connection = hive.connect(**reached(s, role))
    except (exc.Error, TException, OSError) as failure:
        if WRONG_PASSWORD in str(failure):
            raise PermanentFailure(
                f"the SQL gateway does not know this password of {role} (DAYBREAK_GATEWAY_{role.upper()}_PASSWORD): "
                "daybreak restart gateway lets it read them again"
            ) from failure
        where = f"{s.gateway_host}:{s.gateway_port}"
        if isinstance(refused := getattr(failure, "inner", None), ssl.SSLCertVerificationError):
            raise PermanentFailure(
                f"the certificate of the SQL gateway at {where} is not taken: {refused.verify_message} (daybreak up renews it)"
            ) from failure
        raise TransientFailure(f"the SQL gateway does not answer at {where} (daybreak status says why)") from failure
    try:
        yield Gateway(connection)
    finally:
        # A gateway that is gone has ended the session already.
        with suppress(exc.Error, TException, OSError, EOFError):
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
        raise failed(f"the object store at {s.s3_endpoint} does not list bucket {s.bucket!r}", failure) from failure


def register() -> list[str]:
    """Make every table of the lake known to the gateway as `layer.name`; gold is dbt's own. Returns their names.

    A name that somebody has given to something else (ALTER TABLE ... SET LOCATION, a view) gets its table again.
    """
    s = settings()
    found = [table for table in delta_tables(s) if WRITERS[table[0]] is not Writer.GATEWAY]
    with opened(Role.WRITER) as gateway:
        for layer in sorted({layer for layer, _ in found}):
            gateway.execute(f"CREATE DATABASE IF NOT EXISTS {layer}")
            known = {
                str(row[1]): str(row[3]) for row in gateway.execute(f"SHOW TABLE EXTENDED IN {layer} LIKE '*'").rows
            }
            for name in [name for at, name in found if at == layer]:
                place = f"{s.lake}/{layer}/{name}"
                if name in known and not leads_to(known[name], place):
                    kind = "VIEW" if "\nType: VIEW" in f"\n{known[name]}" else "TABLE"
                    print(f"{layer}.{name} was given to something else in the gateway: it is {place} again", flush=True)
                    gateway.execute(f"DROP {kind} {layer}.{name}")
                gateway.execute(f"CREATE TABLE IF NOT EXISTS {layer}.{name} USING DELTA LOCATION '{place}'")
    return [f"{layer}.{name}" for layer, name in found]


def leads_to(description: str, place: str) -> bool:
    """Is this the location in Spark's description of a table?"""
    at = re.search(r"^Location:? (?P<place>\S+)", description, re.MULTILINE)
    return bool(at) and str(at and at["place"]).rstrip("/") == place


OUT_OF_MEMORY = re.compile("OutOfMemoryError|Cannot grow BufferHolder|maxResultSize|UNABLE_TO_ACQUIRE_MEMORY")
STOPPED = re.compile("stopped SparkContext|SparkContext was shut down|SparkContext has been shutdown")
ENDED = re.compile(r"daybreak: (?P<why>[^\n]*?at a time)")
"""The guard's own sentence inside Spark's (infra/sql/guard.py)."""
REFUSED = re.compile(r"daybreak: (?P<why>[^\n]*?; daybreak connect sql gives access)")
"""The sentence of who may do what (infra/sql/java/daybreak/sql/Refused.java)."""


def _refused(failure: exc.Error) -> PermanentFailure | TransientFailure:
    """What the gateway said, as one sentence that says what helps."""
    whole = str(failure)
    if ended := ENDED.search(whole):
        return PermanentFailure(f"the gateway ended the statement: {ended['why']}")
    if refused := REFUSED.search(whole):
        return PermanentFailure(f"the gateway refused the statement: {refused['why']}")
    if STOPPED.search(whole):
        return TransientFailure("the SQL gateway stopped during a statement; it starts again by itself")
    if OUT_OF_MEMORY.search(whole):
        return PermanentFailure(
            f"the statement needs more memory than the gateway has ({settings().gateway_memory}, DAYBREAK_GATEWAY_MEMORY): "
            "ask for fewer rows, or smaller values, at a time"
        )
    if "AccessDenied" in whole:
        return PermanentFailure(
            "the gateway may only write gold: each other table has one program that writes it (daybreak tables names it)"
        )
    hint = f" ({UNKNOWN_TABLE})" if "TABLE_OR_VIEW_NOT_FOUND" in whole else ""
    return PermanentFailure(f"the gateway refused the statement: {_reason(failure)}{hint}")


def _words(failure: Exception) -> str:
    return str(failure) or type(failure).__name__


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
