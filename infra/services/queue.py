"""The embedded queue broker: Apache Artemis on loopback, run straight from its jars (option queue).

Data flow: Settings -> `<home>/queue/etc/*` (0600) -> Program
Run: daybreak up --with queue
Source: Artemis's manual 2.40, "Configuration Reference", "Paging", "Security".

One way in: STOMP, for one user with a password. No web console, no remote JMX, no other protocol.
"""

import shutil

from infra.failures import PermanentFailure, TransientFailure
from infra.jvm import ONE_COMPILER
from infra.owner_file import put
from infra.queue.broker import broker
from infra.services.program import Name, Program
from infra.services.queue_files import files
from infra.settings import Settings
from infra.setup import on_demand
from infra.setup import queue as jars
from infra.setup.prerequisites import java

SHOWN = 3
"""So many dead-letter queues are named in `status`."""


def prepare(s: Settings) -> None:
    """Fetch the broker, and write its configuration: it is ours, and made anew from the settings at each start."""
    on_demand.ensure(jars.STEP)
    folder = s.home / "queue" / "etc"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(s).items():
        put(folder / name, text)


def command(s: Settings) -> tuple[str, ...]:
    """How it is started; the password is in a file."""
    own, etc = s.home / "queue", s.home / "queue" / "etc"
    places = {
        "artemis.home": own,
        "artemis.instance": own,
        "artemis.instance.etc": etc,
        "java.security.auth.login.config": etc / "login.config",
        "log4j2.configurationFile": etc / "log4j2.properties",
    }
    options = [f"-D{name}={place}" for name, place in places.items()]
    heap = [f"-Xmx{s.queue_memory}", *s.jvm(ONE_COMPILER)]
    program = ["-cp", f"{s.home}/jars/queue/*", "org.apache.activemq.artemis.cli.Artemis", "run"]
    bootstrap = (etc / "bootstrap.xml").as_uri().removeprefix("file:")
    return (java(), *heap, *options, *program, "--", f"xml:{bootstrap}")


def _waits_for(s: Settings) -> str | None:
    """Does it let its user in?"""
    # As in infra/lake/s3.py: every command asks the roster, and only these functions need the library.
    from infra.queue.connection import Connection

    try:
        Connection(broker(s)).close()
    except (TransientFailure, PermanentFailure) as failure:
        return str(failure)
    return None


def _notices(s: Settings) -> tuple[str, ...]:
    """Does it let senders wait, and have messages been given up? `waits_for` tells that it does not answer."""
    from infra.queue.connection import Connection
    from infra.queue.management import Management

    free = shutil.disk_usage(s.home).free / 2**20
    full = (
        (f"{free:,.0f} MB of the disk are free: senders wait until it is {s.queue_free_mb:,} (DAYBREAK_QUEUE_FREE_MB)",)
        if free < s.queue_free_mb
        else ()
    )
    try:
        with Connection(broker(s)) as connection:
            dead = Management(connection).given_up()
    except (TransientFailure, PermanentFailure):
        return full
    most = sorted(dead.items(), key=lambda one: -one[1])
    said = tuple(f"messages were delivered too often: {count:,} in {name}" for name, count in most[:SHOWN])
    return (*full, *said, *((f"and in {len(most) - SHOWN:,} queues more",) if len(most) > SHOWN else ()))


def program(s: Settings) -> Program:
    """The broker."""
    return Program(
        name=Name.QUEUE,
        command=command(s),
        ports={"queue_port": s.queue_port},
        waits_for=lambda pid: _waits_for(s),
        notices=lambda pid: _notices(s),
        prepare=lambda: prepare(s),
        heap=(s.queue_memory, "queue_memory"),
    )
