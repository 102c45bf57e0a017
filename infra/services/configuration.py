"""Supervisor's configuration, made from the programs.

Data flow: Programs -> `<home>/supervisor.conf` (0600: it holds the services' passwords)
Run: daybreak up
"""

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from infra.services.program import Program
from infra.settings import ROOT, Settings

USER = "daybreak"


def write(s: Settings, programs: Iterable[Program]) -> Path:
    """Write the file and return its path."""
    file = s.home / "supervisor.conf"
    file.touch(mode=0o600)
    file.write_text(render(s, programs))
    return file


def render(s: Settings, programs: Iterable[Program]) -> str:
    """The configuration: every program stopped as a group, restarted when it dies, its log cut at 20 MB."""
    sections = [
        f"[supervisord]\nlogfile={s.home}/logs/supervisord.log\npidfile={s.home}/run/supervisord.pid\n"
        f"directory={ROOT}\nnodaemon=false\n" + ("user=root\n" if os.geteuid() == 0 else ""),
        f"[inet_http_server]\nport=127.0.0.1:{s.supervisor_port}\nusername={USER}\n"
        f"password={s.supervisor_password.get_secret_value()}\n",
        "[rpcinterface:supervisor]\nsupervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface\n",
    ]
    sections += [_section(s, program) for program in programs]
    return "\n".join(sections)


def _section(s: Settings, program: Program) -> str:
    keys = {
        "command": shlex.join(program.command),
        "environment": ",".join(f"{key}='{value}'" for key, value in program.env.items()),
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
        "stdout_logfile": str(log_file(s, program.name)),
        "stdout_logfile_maxbytes": "20MB",
        "stdout_logfile_backups": "2",
    }
    # `%` is supervisor's own sign for an expansion.
    lines = [f"{key}={value.replace('%', '%%')}" for key, value in keys.items() if value]
    return f"[program:{program.name}]\n" + "\n".join(lines) + "\n"


def log_file(s: Settings, name: str) -> Path:
    """Where a program's output goes."""
    return s.home / "logs" / f"{name}.log"
