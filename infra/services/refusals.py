"""Between a server and its log: what it refused whom goes to a file of its own.

Data flow: what a server prints -> refusals: `<home>/logs/<program>-audit.jsonl`; the rest: its log, by supervisor
Run: daybreak up --only store,postgres

It runs as a file, without this package and without site-packages. The process becomes the server, and gets supervisor's signals;
what reads its output is a child, which ends with the last word of it.
Source: versitygw 1.8.0, s3log/file.go; PostgreSQL manual, "log_line_prefix", and appendix A for the codes.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

LARGEST = 5 << 20
"""Bytes of the file; the one before it ends with `.1`."""
LONGEST = 200
PREFIX = "%m [%p] %q%u@%d %h %e "
"""How a line of Postgres's begins."""
_STORE = re.compile(r"\S+ \S+ \[(?P<at>[^\]]+)\] (?P<host>\S+) (?P<user>\S+) \S+ s3_(?P<what>\S+) ")
_REFUSED = re.compile(r" (?P<on>/\S*) 403 (?P<why>\S+) \d+ \d+ \d+ \d+ ")
_STORE_ADMIN = re.compile(
    r"\[(?P<at>[^\]]+)\] (?P<host>\S+) (?P<user>\S+) \S+ admin_(?P<what>\S+) (?P<on>/\S*) \d+ (?P<why>\S+)"
)
_POSTGRES = re.compile(
    r"(?P<at>\S+ \S+) UTC \[\d+\] (?P<user>.*)@(?P<on>.*?) (?P<host>\S+) (?P<status>28\w{3}|42501) (?:ERROR|FATAL):  (?P<what>.*)"
)


def of_store(line: str) -> tuple[dict[str, str] | None, bool]:
    """The refusal in a line of versitygw's, if it is one; and whether the line is for its log."""
    head, admin = _STORE.match(line), _STORE_ADMIN.match(line)
    # Anywhere: a name of an object, and of a program, may have any words, and a line's end, and so look like more.
    refused = admin if admin and admin["why"] != "-" else _REFUSED.search(line)
    if not refused:
        return None, not (head or admin)
    who = head or admin
    at = datetime.strptime(who["at"], "%d/%B/%Y:%H:%M:%S %z") if who else datetime.now(UTC)
    # A signed URL has its signature behind the question mark.
    # A refusal of administration is an XML document of several lines.
    why = "AccessDenied" if refused["why"].startswith("<") else refused["why"]
    what = f"{who['what'] if who else '?'} {refused['on'].partition('?')[0]}: {why}"
    user, host = (who["user"], who["host"]) if who else ("?", "?")
    return _entry(at.isoformat(timespec="seconds"), user, host, what), False


def of_postgres(line: str) -> tuple[dict[str, str] | None, bool]:
    """The same of Postgres: who failed to log in, and whom a privilege was missing."""
    found = _POSTGRES.match(line)
    if not found:
        return None, True
    at = found["at"].replace(" ", "T") + "+00:00"
    return _entry(at, found["user"], found["host"], f"{found['on']}: {found['what']}"), True


def _entry(at: str, user: str, host: str, what: str) -> dict[str, str]:
    """Who is refused has chosen the words: they must not look like another line, nor fill the disk."""
    return {
        "at": at,
        **{
            name: re.sub(r"[^ -~]", "?", text)[:LONGEST]
            for name, text in (("user", user), ("from", host), ("refused", what))
        },
    }


KINDS = {"store": of_store, "postgres": of_postgres}


def write(file: Path, entry: Mapping[str, str]) -> None:
    """Add a line. What cannot be written is refused all the same: a full disk is told by its owner."""
    line = json.dumps(entry).encode() + b"\n"
    try:
        if file.exists() and file.stat().st_size + len(line) > LARGEST:
            file.replace(f"{file}.1")
        file.parent.mkdir(parents=True, exist_ok=True)
        written = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(written, line)
        finally:
            os.close(written)
    except OSError as failure:
        print(f"a refusal is not written to {file}: {failure}", flush=True)


def read(kind: str, file: Path, names: Mapping[str, str]) -> None:
    """Read the server's output to its end. `names`: what users are called, by their access keys."""
    for raw in sys.stdin.buffer:
        entry, is_for_log = KINDS[kind](raw.decode(errors="replace").rstrip("\n"))
        if entry:
            write(file, {**entry, "user": names.get(entry["user"], entry["user"])})
        if is_for_log:
            sys.stdout.buffer.write(raw)
            sys.stdout.buffer.flush()


def main(kind: str, file: str, names: str, *command: str) -> None:
    """Become the command, whose output a child reads."""
    out, into = os.pipe()
    if os.fork() == 0:
        os.close(into)
        os.dup2(out, 0)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        read(kind, Path(file), json.loads(names))
        return
    os.dup2(into, 1)
    os.dup2(into, 2)
    os.close(out)
    os.close(into)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
