"""Promote a try: its lake becomes the one in force by one replacement of a file. Or abandon it, and nothing of it is left.

Data flow: a try that is made -> `<home>/lake.env`, the platform's stream and gateway on its lake, its corrections sent
Run: daybreak promote; daybreak abandon

The SQL catalogue, gold included, lies ready beside the old one, and so do tables and checkpoints: whoever starts after the switch
finds all of the new, and before it all of the old. Interrupted behind it, the next `daybreak promote` goes on there.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from batch.corrections.publish import carry
from batch.trying.look import asked, settled, waits_for
from infra import in_force
from infra.acting import acting_as
from infra.commands.platform import start_programs
from infra.failures import PermanentFailure
from infra.lake.forked import drop
from infra.lake.lease import Lease
from infra.lake.rights import REPORTS
from infra.lake.s3 import client
from infra.lake.tables import WRITERS, Writer
from infra.owner_file import put
from infra.project_setting import PROJECT_FILE
from infra.project_setting import VARIABLE as PROJECT
from infra.services import fork as forks
from infra.services import gateway
from infra.services.fork import Fork, Stage
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings, settings
from infra.sql import gold
from infra.store_users import User

STORE_SECONDS = 60.0
"""Longest wait for the store's answer: it removes a thousand objects in one request."""
OF_THE_LAKE = (Name.STREAM, Name.GATEWAY)
"""The programs that keep where the lake is: they are started again for the switch."""
Say = Callable[[str], None]


def there(s: Settings) -> Fork:
    """The try. Raises PermanentFailure if there is none, or if the platform, whose services it needs, is down."""
    fork = forks.there(s)
    if not Supervisor(s).is_running():
        raise PermanentFailure("the platform is not running: start it with daybreak up")
    return fork


def refuse_other_code(fork: Fork, now: Mapping[str, str] | None = None) -> None:
    """Raise PermanentFailure if this is not the code that is tried. `now`: its versions, where they matter."""
    code, project = fork.said["code"], fork.said["project"]
    if (code, project) != (str(ROOT), fork.of.project):
        raise PermanentFailure(f"the try is of the project {project} with the code in {code}: do this there")
    if now is not None and fork.said["definitions"] != dict(now):
        raise PermanentFailure("the code has changed since it was tried: daybreak abandon, and try it again")


def refuse_unready(fork: Fork) -> None:
    """Raise PermanentFailure if what would be served is not whole, or is not what was tried."""
    if fork.stage is not Stage.MADE:
        raise PermanentFailure(f"{fork}: there is nothing to promote")
    if days := asked(fork.own):
        raise PermanentFailure(
            f"{days[0]} waits for an approval in the try: "
            f'daybreak decide --try --date {days[0]} --approve --note "why" (or --reject)'
        )
    if wants := waits_for(fork):
        raise PermanentFailure(f"the try has not caught up, its stream waits for {wants}: promote it a little later")
    _refuse_settled(fork)


def _refuse_settled(fork: Fork) -> None:
    if settled(fork.of) != fork.said["settled"]:
        raise PermanentFailure(
            "a night of the platform has settled days since the try began, and consumers have its corrections: daybreak "
            "abandon, and try it again"
        )


def promote(fork: Fork, say: Say) -> None:
    """Put a try that is ready into force."""
    s = fork.of
    if fork.stage is Stage.MADE:
        say("1 the try's gold is built once more, with its newest answers")
        if code := fork.run("batch.gold", "build"):
            raise PermanentFailure(
                f"the try's gold was not built (exit {code}), its words are above; nothing is changed"
            )
        # No night begins meanwhile.
        with Lease(Writer.NIGHT, s.lease_wait_seconds):
            _refuse_settled(fork)
            say("2 both streams stop, and the try's lake is put into force")
            with acting_as(Writer.NIGHT):
                carry(fork.own.bucket)
            supervisor = Supervisor(s)
            ran = [name for name, one in supervisor.processes().items() if one.state.is_up]
            fork.daybreak("down")
            for name in OF_THE_LAKE:
                supervisor.stop(name, wait=True)
            fork = fork.note(stage=Stage.PROMOTED, ran=ran)
            _switch(fork)
    else:
        _switch(fork)
    _follow(fork, say)


def _switch(fork: Fork) -> None:
    put(fork.of.home / PROJECT_FILE, f"{PROJECT}={fork.said['project']}\n")
    in_force.enforce(fork.of.home, fork.said["places"])
    settings.cache_clear()


def _follow(fork: Fork, say: Say) -> None:
    """What comes after the switch; all of it may run again."""
    say("3 stream and SQL gateway start on it")
    s = settings()
    for name in OF_THE_LAKE:
        Supervisor(s).stop(name, wait=True)
    start_programs(",".join(fork.said["ran"]))
    say("4 its corrections are sent")
    if code := subprocess.run([sys.executable, "-m", "batch", "publish"], cwd=ROOT, check=False).returncode:
        raise PermanentFailure(
            f"the try is in force, but its corrections were not sent (exit {code}): daybreak promote goes on"
        )
    gold.done(s, gold.Verb.BUILD).write_text(gold.version(s))
    say("5 the lake before it is removed")
    before = fork.said["before"]
    _remove(fork, before, [*WRITERS, REPORTS])
    fork.forget()


def abandon(fork: Fork) -> None:
    """Stop its programs, and remove all that it has. Raises PermanentFailure if it is being promoted."""
    if fork.stage is Stage.PROMOTED:
        raise PermanentFailure(f"{fork}: it cannot be abandoned any more")
    fork.daybreak("down")
    _remove(fork, fork.said["places"], [])
    fork.forget()


def _remove(fork: Fork, places: Mapping[str, str], layers: list[str]) -> None:
    """The lake at these places. `layers`: what is removed of a bucket that may have more in it; none: all."""
    s = settings()
    drop(client(s, seconds=STORE_SECONDS, user=User.ROOT), places["bucket"], layers)
    catalogue = gateway.metastore(s.model_copy(update={"gateway_metastore": places["gateway_metastore"]}))
    checkpoints = urlsplit(places["checkpoints"])
    for folder in (catalogue, *([Path(checkpoints.path)] if checkpoints.scheme in ("", "file") else [])):
        shutil.rmtree(folder, ignore_errors=True)
