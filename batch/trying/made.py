"""Make a try: the lake copied, the stream rebuilt, the settled days done again, and gold built, all of it beside the platform.

Data flow: the present code, the lake in force -> a lake, a stream and a SQL gateway of the try's own
Run: daybreak plan --try
"""

import time
from collections.abc import Callable, Mapping

from batch.plan.changes import Kind
from batch.plan.compared import Compared
from batch.trying.look import asked, settled, waits_for
from infra import in_force
from infra.failures import PermanentFailure, TransientFailure
from infra.lake.forked import copy
from infra.lake.lease import Lease
from infra.lake.rights import REPORTS
from infra.lake.s3 import client
from infra.lake.tables import WRITERS, Writer
from infra.services import fork as forks
from infra.services import place, store
from infra.services.fork import NEXT, PROGRAMS, Fork, Stage
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings
from infra.store_users import User
from streaming.tables.progress import PROGRESS

STILL_SECONDS = 900
"""Seconds without progress after which its stream counts as stuck."""
COPY_SECONDS = 60.0
"""Longest wait for the store's answer: it copies a large file in one request."""
Say = Callable[[str], None]


def refuse(s: Settings) -> None:
    """Raise PermanentFailure where no try can begin."""
    if found := forks.known(s):
        raise PermanentFailure(f"there is a try already, and one is all that a platform has: {found}")
    if fixed := in_force.elsewhere():
        raise PermanentFailure(
            f"{', '.join(fixed)} in the environment: a promotion could not change that, so there is no try"
        )
    if not s.embedded("gateway_host"):
        raise PermanentFailure("a try needs a SQL gateway of its own, and DAYBREAK_GATEWAY_HOST names yours")
    if s.embedded("s3_endpoint") and s.store != "versitygw":
        raise PermanentFailure(
            "a try needs a second bucket, which this home's store has not: daybreak move-store first"
        )
    if not Supervisor(s).is_running():
        raise PermanentFailure("the platform is not running: start it with daybreak up")


def refuse_change(found: Compared) -> None:
    """Raise PermanentFailure for a change that no try shows."""
    if found.is_same:
        raise PermanentFailure("this code is what runs, so there is nothing to try")
    if topics := [one.name for one in found.contracts if one.kind in (Kind.NEW, Kind.GONE)]:
        raise PermanentFailure(
            f"a try leaves Kafka as it is, and the topic {topics[0]} is new or gone: put that into force by itself first "
            f"({found.command})"
        )


def make(s: Settings, found: Compared, now: Mapping[str, str], say: Say) -> Fork:
    """Make it, and bring it as far as the platform is. `now`: the versions of the code.

    Raises PermanentFailure or TransientFailure if a part of it fails; then it stays as it is, to be looked at and abandoned.
    """
    fork = _copied(s, now, say)
    say("2 its stream computes the views anew from silver, and reads what has come since")
    _do(fork, "streaming", "rebuild")
    fork.daybreak("up", "--only", PROGRAMS)
    _caught_up(fork)
    if found.settled:
        say(f"3 its night redoes those of the {len(found.settled)} settled days that were settled by other definitions")
        last = max(found.settled).isoformat()
        if (code := fork.run("batch", "night", "--curve", "--date", last)) and not asked(fork.own):
            raise _failed("the night", code)
    else:
        say("3 no day is settled yet, so there is none to redo")
        _do(fork, "batch", "prepare")
    say("4 its gold is built")
    _do(fork, "batch.gold", "build")
    return fork.note(stage=Stage.MADE)


def last_words(fork: Fork) -> str:
    """What there is to do now."""
    if days := asked(fork.own):
        return (
            f"the try is made, and {', '.join(map(str, days))} would be corrected by more than the approval threshold: "
            f'daybreak decide --try --date {days[0]} --approve --note "why" (or --reject); then {NEXT}'
        )
    return f"the try is made, and follows the log; what is served is as before: {NEXT}"


def _copied(s: Settings, now: Mapping[str, str], say: Say) -> Fork:
    root = client(s, seconds=COPY_SECONDS, user=User.ROOT)
    # No night settles anything meanwhile.
    with Lease(Writer.NIGHT, s.lease_wait_seconds):
        refuse(s)
        taken = {one.name for one in root.list_buckets()}
        fork = forks.begin(s, taken, definitions=dict(now), settled=settled(s), code=str(ROOT), project=s.project)
        place.prepare(fork.own)
        say(f"1 the tables are copied into the bucket {fork.own.bucket}; the platform goes on")
        if s.embedded("s3_endpoint"):
            store.complete(s.model_copy(update={"bucket": fork.own.bucket}))
        else:
            store.make_bucket(fork.own)
        layers = [layer for layer, writer in WRITERS.items() if writer is not Writer.GATEWAY]
        copy(root, s.bucket, fork.own.bucket, [*layers, REPORTS], PROGRESS.id, lambda _: None)
    return fork


def _caught_up(fork: Fork) -> None:
    """Wait until it is. Raises TransientFailure if nothing moves for STILL_SECONDS."""
    moved, last = time.monotonic(), ""
    while now := waits_for(fork):
        if now != last:
            moved, last = time.monotonic(), now
        elif time.monotonic() - moved > STILL_SECONDS:
            raise TransientFailure(f"the stream of the try has made no progress for {STILL_SECONDS} s ({now})")
        time.sleep(1)


def _do(fork: Fork, *module: str) -> None:
    if code := fork.run(*module):
        raise _failed(f"python -m {' '.join(module)}", code)


def _failed(what: str, code: int) -> PermanentFailure:
    return PermanentFailure(
        f"{what} of the try ended with code {code}, its words are above; what is served is as before: daybreak abandon removes "
        "the try"
    )
