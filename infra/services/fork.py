"""A try: another version of the code with a lake, a stream and a SQL gateway of its own, on the services of the platform.

Data flow: Settings -> `<home>/try` (a home of its own), a bucket, checkpoints, a catalogue, three ports -> commands in its place
Run: daybreak plan --try

It is told to the same programs by settings alone. Its bucket, checkpoints and catalogue lie where they stay when it is promoted.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from infra import in_force
from infra.dates import clock
from infra.failures import PermanentFailure
from infra.options import OPTIONS_FILE
from infra.owner_file import write
from infra.services.program import shared_env
from infra.services.supervisor import MARK
from infra.settings import ROOT, Settings
from infra.tls.files import files

FOLDER, NOTE = "try", "try.json"
PORTS = ("gateway_port", "stream_ui_port", "supervisor_port")
SHARED = ("secrets.env", OPTIONS_FILE)
PROGRAMS = "stream,gateway"
"""Of its own; all others are the platform's."""
DAYBREAK = (sys.executable, "-c", "from batch.commands import main; main()")
NEXT = "daybreak promote puts it into force, daybreak abandon removes it"


class Stage(StrEnum):
    """How far it is. MADE: it has all that it needs to be promoted. PROMOTED: the switch is decided, and perhaps not yet done."""

    BEGUN = "begun"
    MADE = "made"
    PROMOTED = "promoted"


@dataclass(frozen=True)
class Fork:
    """A try. `of`: the platform's settings, `own`: its own; `said`: what is noted of it."""

    of: Settings
    own: Settings
    said: Mapping[str, Any]

    @property
    def stage(self) -> Stage:
        """How far it is."""
        return Stage(self.said["stage"])

    def __str__(self) -> str:
        since = clock(datetime.fromisoformat(self.said["at"]))
        match self.stage:
            case Stage.BEGUN:
                return f"a try that began at {since} is not whole yet; daybreak abandon removes it"
            case Stage.MADE:
                return f"a try runs, begun at {since}: {NEXT}"
            case Stage.PROMOTED:
                return f"the try that began at {since} is being promoted: daybreak promote brings it to its end"

    def env(self) -> dict[str, str]:
        """The environment of its processes. They are marked as its own, so that `daybreak down` of its home ends them."""
        names = (*in_force.NAMES, *PORTS)
        return {
            **os.environ,
            **shared_env(self.own),
            **{f"DAYBREAK_{name.upper()}": str(getattr(self.own, name)) for name in names},
            "DAYBREAK_PORT_BASE": str(self.of.port_base),
            "DAYBREAK_PUBLISHES": "false",
            # Its runs are no runs of the platform's.
            "DAYBREAK_LINEAGE": "",
        }

    def run(self, *module: str) -> int:
        """`python -m ...` for the try, to its end; its exit code."""
        return self._run((sys.executable, "-m", *module), {MARK: str(self.own.home)})[0]

    def daybreak(self, *words: str) -> None:
        """`daybreak ...` for the try, without its words. Raises PermanentFailure with the last of them if it fails."""
        code, said = self._run((*DAYBREAK, *words), {}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if code:
            last = said.strip().splitlines()[-1:] or ["it has not said why"]
            raise PermanentFailure(f"daybreak {' '.join(words)} of the try ended with code {code}: {last[0]}")

    def _run(self, command: tuple[str, ...], more: Mapping[str, str], **pipes: Any) -> tuple[int, str]:
        process = subprocess.Popen(command, cwd=ROOT, env={**self.env(), **more}, start_new_session=True, **pipes)
        try:
            said, _ = process.communicate()
            return process.returncode, said or ""
        except BaseException:
            # Ctrl-C reaches this process alone.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise

    def note(self, **more: Any) -> "Fork":
        """The same with more noted."""
        said = {**self.said, **more}
        write(self.own.home / NOTE, said)
        return Fork(self.of, self.own, said)

    def forget(self) -> None:
        """Remove its home; what else is its own is gone by then."""
        shutil.rmtree(self.own.home)


def folder(s: Settings) -> Path:
    """Its home."""
    return s.home / FOLDER


def known(s: Settings) -> Fork | None:
    """The try of this platform; None if there is none."""
    file = folder(s) / NOTE
    if not file.exists():
        return None
    said = json.loads(file.read_text())
    return Fork(
        s, s.model_copy(update={**said["places"], **said["ports"], "home": folder(s), "publishes": False}), said
    )


def there(s: Settings) -> Fork:
    """The same. Raises PermanentFailure if there is none."""
    if found := known(s):
        return found
    raise PermanentFailure("there is no try: daybreak plan --try begins one")


def refuse(s: Settings, what: str) -> None:
    """Raise PermanentFailure if there is a try: `what` would not reach it."""
    if found := known(s):
        raise PermanentFailure(f"{what} would not reach the try: {found}")


def begin(s: Settings, taken: set[str], **said: Any) -> Fork:
    """Note a new try, and make its home. `taken`: the store's buckets."""
    bucket = following(s.bucket, taken)
    places = {
        "bucket": bucket,
        "checkpoints": f"file://{s.home}/checkpoints-{bucket}",
        "gateway_metastore": f"{s.home}/gateway/metastore-{bucket}",
    }
    home = folder(s)
    home.mkdir(parents=True, exist_ok=True)
    before = {name: getattr(s, name) for name in in_force.NAMES}
    whole = {"places": places, "before": before, "ports": _free_ports(), "stage": Stage.BEGUN, **said}
    whole["at"] = datetime.now(UTC).isoformat()
    write(home / NOTE, whole)
    for file in (*(s.home / name for name in SHARED), files(s).ca.parent):
        if file.exists():
            (home / file.name).symlink_to(file)
    found = known(s)
    assert found
    return found


def following(bucket: str, taken: set[str]) -> str:
    """`lake`, `lake-2`, `lake-3`: a name is not used twice, because Kafka knows what was sent of each lake by it."""
    stem, number = re.fullmatch(r"(.*?)(?:-(\d+))?", bucket, re.DOTALL).groups()  # type: ignore[union-attr]
    at = int(number or 1) + 1
    while f"{stem}-{at}" in taken:
        at += 1
    return f"{stem}-{at}"


def _free_ports() -> dict[str, int]:
    found = {}
    with ExitStack() as held:
        for name in PORTS:
            one = held.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            found[name] = one.getsockname()[1]
    return found
