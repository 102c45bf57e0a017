"""Look for every generated secret in all that a platform writes, says and shows: each file that holds one has a reason.

Data flow: `secrets.env`, in all its forms -> the home, databases, tables, commands, pages, processes -> where one was found
Run: pytest tests/platform/test_09_secrets.py
"""

import json
import stat
import subprocess
import urllib.error
import urllib.request
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
import pyarrow as pa
from psycopg.conninfo import make_conninfo
from running import Platform

from infra.lake.s3 import client
from infra.rotation import FERNET
from infra.secrets import is_name, secrets_file, written
from infra.settings import Settings

HOLD = {
    "secrets.env": "their place",
    "supervisor.conf": "the environments of the programs that take theirs from there: store, Airflow",
    "spark/spark-defaults.conf": "a Spark driver takes the store's key from there",
    "gateway/conf/spark-defaults.conf": "the same of the gateway's driver, with its own key",
    "spark/*/spark-defaults.conf": "the same of other drivers that have a key of their own",
    "kafka/server.properties": "the brokers' own password, with which they log in to each other",
    "kafka/?/server.properties": "the same of three brokers",
    "kafka-clients/*": "what Kafka's own tools are given: daybreak connect kafka",
    "s3-clients/*": "what DuckDB and Python are given: daybreak connect s3",
    "postgres-clients/*": "what psql and Python are given: daybreak connect postgres",
    "gateway/*.password": "what beeline and dbt are given: daybreak connect sql",
    "connect/worker.properties": "Kafka Connect's password for Kafka",
    "connect/shop.properties": "Debezium's password for the database",
    "connect/rest.users": "who may use Kafka Connect's interface",
    "airflow/passwords.json": "Airflow reads its users from there",
    "queue/etc/users.properties": "the queue broker reads its users from there",
    "cache/valkey.conf": "the cache reads its password from there",
    "store/keys/users.json": "versitygw reads its keys from there",
    "minio/.minio.sys/config/iam/users/*/identity.json/xl.meta": "MinIO keeps its keys there",
}
"""Files of a home (0600) that hold a secret, each with its reason."""
COMMANDS = (
    ("status", "--json"),
    ("doctor",),
    ("connect", "kafka", "--as", "owner"),
    ("connect", "sql", "--as", "writer"),
    ("connect", "postgres"),
    ("tables", "there.is-none"),
)
LEAST = 8
"""A password of your own that is shorter stands in other words too."""


def forms(secret: str) -> set[str]:
    """As it is, as a part of a URL, and within anything that is written in base64."""
    found = {secret, quote(secret, safe="")}
    for before in range(3):
        text = b"\0" * before + secret.encode()
        # The signs that the bytes before and behind it have a part in.
        first, behind = (0, 2, 3)[before], -len(text) % 3
        for encode in (b64encode, urlsafe_b64encode):
            whole = encode(text).decode().rstrip("=")
            found.add(whole[first : len(whole) - (behind > 0)])
    return found


def searched(secrets: Mapping[str, str], folders: Iterable[Path], scratch: Path) -> dict[Path, set[str]]:
    """Files in these folders that hold a secret, with the names of those; no link is followed."""
    patterns = scratch / "patterns"
    patterns.write_text("".join(f"{form}\n" for secret in secrets.values() for form in sorted(forms(secret))))
    # -s: what a running program has just removed is no error.
    command = ["grep", "-rslaF", "-D", "skip", "-f", str(patterns), *map(str, folders)]
    said = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    patterns.unlink()
    assert said.returncode in (0, 1, 2), said.stderr
    return {Path(line): _names(secrets, Path(line)) for line in said.stdout.splitlines()}


def _names(secrets: Mapping[str, str], file: Path) -> set[str]:
    content = file.read_bytes() if file.exists() else b""
    return {name for name, secret in secrets.items() if any(form.encode() in content for form in forms(secret))}


def generated(home: Path) -> dict[str, str]:
    """Every generated secret of a home, by its name."""
    lines = written(secrets_file(home))
    # Of a key that is kept for what it has encrypted, the one in front is in force.
    in_force = {name: value.split(",")[0] if name == FERNET else value for name, value in lines.items()}
    return {name: value for name, value in in_force.items() if not is_name(name) and len(value) >= LEAST}


def leaks(
    platform: Platform,
    scratch: Path,
    secrets: Mapping[str, str] | None = None,
    commands: Sequence[tuple[str, ...]] = COMMANDS[:1],
) -> list[str]:
    """Where a secret is found that is not to be there; `secrets`: those that the home had before, which are to be nowhere.

    `commands`: whose words are searched too; each takes seconds.
    """
    home = platform.settings.home
    said = scratch / "said"
    said.mkdir()
    now = () if secrets else (*_said(platform, commands), *_pages(platform.settings))
    for name, text in (*now, *_tables(platform), *_processes(), *_database(platform.settings)):
        (said / name.replace("/", "_")).write_bytes(text)
    found = searched(secrets or generated(home), (home, said), scratch)
    return sorted(
        f"{path.relative_to(home if path.is_relative_to(home) else said)}: {', '.join(sorted(names))}"
        for path, names in found.items()
        if secrets or not (path.is_relative_to(home) and _is_to_hold(path.relative_to(home), path))
    )


def _is_to_hold(name: Path, path: Path) -> bool:
    is_shut = not stat.S_IMODE(path.stat().st_mode) & 0o177
    return is_shut and any(fnmatch(str(name), pattern) for pattern in HOLD)


def _said(platform: Platform, commands: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, bytes]]:
    """What commands print, also where they fail."""
    for arguments in commands:
        done = platform.run("daybreak", *arguments, check=False)
        yield f"daybreak {' '.join(arguments)}", (done.stdout + done.stderr).encode()


def _pages(s: Settings) -> Iterator[tuple[str, bytes]]:
    """What Spark shows of the stream."""
    ui = f"http://127.0.0.1:{s.stream_ui_port}"
    try:
        (application,) = json.loads(_page(s, f"{ui}/api/v1/applications"))
    except urllib.error.HTTPError:
        raise
    except OSError:
        # A stream that does not run has none.
        return
    of_it = f"api/v1/applications/{application['id']}"
    for page in ("environment/", "jobs/", "SQL/", f"{of_it}/environment", f"{of_it}/jobs", f"{of_it}/sql"):
        yield f"page {page}", _page(s, f"{ui}/{page}")


def _page(s: Settings, url: str) -> bytes:
    """A page of Spark's, for its owner, if it asks who comes."""
    request = urllib.request.Request(url)
    if password := getattr(s, "spark_ui_password", None):
        login = b64encode(f"owner:{password.get_secret_value()}".encode()).decode()
        request.add_header("Authorization", f"Basic {login}")
    return bytes(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).read())


def _tables(platform: Platform) -> Iterator[tuple[str, bytes]]:
    """All columns of all tables, as they are in memory: on the disk they are packed. Of large ones the newest rows."""
    s = platform.settings
    logs = client(s).list_objects(s.bucket, recursive=True)
    names = {
        str(one.object_name).partition("/_delta_log/")[0] for one in logs if "/_delta_log/" in str(one.object_name)
    }
    for name in sorted(names):
        rows = platform.table(name).to_pyarrow_dataset().head(ROWS)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        yield f"table {name}", sink.getvalue().to_pybytes()


ROWS = 20_000


def _processes() -> Iterator[tuple[str, bytes]]:
    """Command lines, which everybody reads, and the environments that another user's processes have, which he reads."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            yield f"process {process.pid} {process.name()}", "\0".join(process.cmdline()).encode()
            if process.uids().real != psutil.Process().uids().real:
                yield f"environment {process.pid}", "\0".join(process.environ().values()).encode()


def _database(s: Settings) -> Iterator[tuple[str, bytes]]:
    """Each table of each database as text: Airflow's rendered templates, results and connections are there."""
    for database in ("daybreak", "airflow"):
        with psycopg.connect(as_owner(s, database)) as connection:
            of_ours = "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            for schema, table in connection.execute(of_ours).fetchall():
                with connection.cursor().copy(f'COPY "{schema}"."{table}" TO STDOUT') as rows:
                    yield f"database {database} {table}", b"".join(map(bytes, rows))


def as_owner(s: Settings, database: str) -> str:
    """What connects the role that may do everything."""
    return make_conninfo(
        s.postgres_dsn, user="daybreak", password=s.postgres_password.get_secret_value(), dbname=database
    )


def open_to_others(home: Path) -> list[str]:
    """Files and folders of a home that others may read, write or enter."""
    wide = []
    for path in (home, *home.rglob("*")):
        # A file that a program has just removed.
        mode = path.lstat().st_mode if path.is_symlink() or path.exists() else 0
        if not stat.S_ISLNK(mode) and mode & 0o077:
            wide.append(f"{stat.filemode(mode)} {path.relative_to(home)}")
    return wide
