"""Supervisor's configuration, made from the programs.

Data flow: Programs -> `<home>/supervisor.conf` (0600: it holds the services' passwords)
Run: daybreak up
"""

import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from infra import owner_only
from infra.owner_file import put
from infra.services import launch
from infra.services.program import Program
from infra.settings import ROOT, Settings

USER = "daybreak"


def write(s: Settings, programs: Iterable[Program]) -> Path:
    """Write the file and return its path."""
    file = s.home / "supervisor.conf"
    put(file, render(s, programs))
    return file


def render(s: Settings, programs: Iterable[Program]) -> str:
    """The configuration: every program stopped as a group, restarted when it dies, its log cut at 20 MB."""
    daemon = {
        "logfile": f"{s.home}/logs/supervisord.log",
        "logfile_maxbytes": "20MB",
        "logfile_backups": "2",
        "pidfile": f"{s.home}/run/supervisord.pid",
        "directory": str(ROOT),
        "nodaemon": "false",
        # Supervisor would set its own, and all programs would write for everybody.
        "umask": f"{owner_only.UMASK:03o}",
        "user": "root" if os.geteuid() == 0 else "",
    }
    door = {
        "port": f"127.0.0.1:{s.supervisor_port}",
        "username": USER,
        # As a digest it has no sign that means something here.
        "password": "{SHA}" + hashlib.sha1(s.supervisor_password.get_secret_value().encode()).hexdigest(),
    }
    asked = {"supervisor.rpcinterface_factory": "supervisor.rpcinterface:make_main_rpcinterface"}
    sections = [
        _lines("supervisord", daemon),
        _lines("inet_http_server", door),
        _lines("rpcinterface:supervisor", asked),
    ]
    sections += [_section(s, program) for program in programs]
    return "\n".join(sections)


def _lines(section: str, keys: Mapping[str, str]) -> str:
    # `%` is supervisor's own sign for an expansion.
    lines = [f"{key}={value.replace('%', '%%')}" for key, value in keys.items() if value]
    return f"[{section}]\n" + "\n".join(lines) + "\n"


def _command(program: Program) -> str:
    """The command line; one with an environment of its own is started by `launch`."""
    first = (sys.executable, "-I", "-S", launch.__file__) if program.env else ()
    # Supervisor takes ` ;` and ` #` for the start of a comment, inside quotes too. An end and a start of quotes between
    # the two signs changes nothing but that: shlex quotes every argument that has a space.
    return re.sub(r"(?<=\s)(?=[;#])", "''", shlex.join((*first, *program.command)))


def _section(s: Settings, program: Program) -> str:
    keys = {
        "command": _command(program),
        "environment": f"{launch.ENCODED}='{launch.encoded(program.env)}'" if program.env else "",
        "directory": str(ROOT),
        "autostart": "false",
        "autorestart": "true" if program.final_exit is None else "unexpected",
        "exitcodes": "0" if program.final_exit is None else str(program.final_exit),
        # With 0 the exit code decides after every end; with 1 an end within a second is retried regardless.
        "startsecs": "1" if program.final_exit is None else "0",
        "startretries": "100000",
        "stopasgroup": str(program.stop_group).lower(),
        "killasgroup": "true",
        "stopsignal": program.stop_signal,
        "stopwaitsecs": str(program.stop_seconds),
        "redirect_stderr": "true",
        # Supervisor expands this one twice.
        "stdout_logfile": str(log_file(s, program.name)).replace("%", "%%"),
        "stdout_logfile_maxbytes": "20MB",
        "stdout_logfile_backups": "2",
    }
    return _lines(f"program:{program.name}", keys)


def log_file(s: Settings, name: str) -> Path:
    """Where a program's output goes."""
    return s.home / "logs" / f"{name}.log"
