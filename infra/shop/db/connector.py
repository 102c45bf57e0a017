"""The Debezium connector: a snapshot of the shop's tables at a position of the log, and then every change, into `shop.public.*`.

Data flow: Settings -> Kafka Connect's REST interface -> connector `shop`
Run: daybreak status
Source: Debezium 3.7, "PostgreSQL connector"; Kafka Connect, "Exactly-once support" (KIP-618).
"""

import time
from datetime import timedelta

from infra.capture import limits
from infra.capture.topics import topic_configuration
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.shop.db.connection import parts
from infra.shop.db.rest import NAME, asked, done, said, state
from infra.shop.db.tables import HEARTBEAT, KEYS, PUBLICATION, SLOT
from infra.shop.users import CAPTURE
from infra.tls_settings import libpqs

PREFIX = "shop"
SECRETS = "shop.properties"
BEAT = timedelta(seconds=5)
LOOK = timedelta(seconds=0.1)
"""How often the connector hands on what it has captured, in a Kafka transaction each time; by default every half second."""
REGISTER_SECONDS = 90


def topic(table: str) -> str:
    """The topic of a table's changes."""
    return f"{PREFIX}.public.{table}"


def configuration(s: Settings) -> dict[str, str]:
    """The connector's configuration."""
    beat = f"INSERT INTO {HEARTBEAT} VALUES (1, now()) ON CONFLICT (id) DO UPDATE SET at = excluded.at"
    return {
        **source(s),
        "slot.name": SLOT,
        "publication.name": PUBLICATION,
        "topic.prefix": PREFIX,
        "table.include.list": ",".join(f"public.{table}" for table in KEYS),
        # Without it the slot would hold the log back while nothing but other databases changes.
        "heartbeat.interval.ms": str(round(BEAT.total_seconds() * 1000)),
        "heartbeat.action.query": beat,
        "topic.creation.default.replication.factor": str(s.kafka_replication),
        "topic.creation.default.partitions": str(s.topic_partitions),
        **{f"topic.creation.default.{name}": value for name, value in topic_configuration(s).items()},
    }


def source(s: Settings) -> dict[str, str]:
    """What every connector to the shop's database has. The password is a reference, because Connect keeps this in a topic."""
    own = parts(s, CAPTURE)
    return {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "tasks.max": "1",
        "exactly.once.support": "required",
        "database.hostname": own.get("host", "127.0.0.1"),
        "database.port": own.get("port", "5432"),
        "database.user": own.get("user", ""),
        "database.password": f"${{file:{s.home}/connect/{SECRETS}:password}}",
        "database.dbname": own["dbname"],
        **{f"database.{name}": value for name, value in libpqs(own).items()},
        "plugin.name": "pgoutput",
        "publication.autocreate.mode": "disabled",
        # Also where the log at its own position is gone: a slot that was lost or dropped.
        "snapshot.mode": "when_needed",
        # A numeric must not become a binary float.
        "decimal.handling.mode": "string",
        "poll.interval.ms": str(round(LOOK.total_seconds() * 1000)),
        # A deletion is an event of its own; these topics keep every change, so no tombstone is needed behind it.
        "tombstones.on.delete": "false",
        **limits.of_connector(),
    }


def register(s: Settings) -> None:
    """Create the connector or change its configuration, and wait until it runs: what failed or was stopped is started.

    Raises PermanentFailure if Connect refuses the configuration, TransientFailure if it does not run in time.
    """
    deadline, wanted = time.monotonic() + REGISTER_SECONDS, configuration(s)
    limits.widen(topic(table) for table in KEYS)
    known = asked(s, "GET", "/config")
    # The same again would only start its task anew.
    if known.status_code != 200 or known.json() != {"name": NAME, **wanted}:
        _configure(s, wanted, deadline)
    restarted = False
    while (now := state(s)) != "RUNNING":
        if now == "FAILED" and not restarted:
            asked(s, "POST", "/restart?includeTasks=true&onlyFailed=true")
            restarted = True
        if now in ("STOPPED", "PAUSED"):
            # By hand, or by a new snapshot that was interrupted.
            asked(s, "PUT", "/resume")
        _give_up(deadline, f"the connector {NAME} does not run (it is {now.lower()}); see `daybreak logs connect`")


def _configure(s: Settings, wanted: dict[str, str], deadline: float) -> None:
    while (answer := asked(s, "PUT", "/config", wanted)).status_code == 409:
        # The worker is taking its place in its group.
        _give_up(deadline, "Kafka Connect does not take the connector: it is rebalancing")
    if answer.is_error:
        raise PermanentFailure(
            f"Kafka Connect refuses the connector {NAME}: {answer.json().get('message', answer.text)}"
        )


def _give_up(deadline: float, why: str) -> None:
    if time.monotonic() > deadline:
        raise TransientFailure(why)
    time.sleep(0.5)


def stop(s: Settings) -> None:
    """Let it end its task and keep its place. Raises TransientFailure if it does not stop in time."""
    deadline = time.monotonic() + REGISTER_SECONDS
    done(asked(s, "PUT", "/stop"))
    while not _stopped(s):
        _give_up(deadline, f"the connector {NAME} does not stop: see `daybreak logs connect`")


def begin_anew(s: Settings) -> None:
    """Of a stopped connector: forget its place and start it, so that it takes a snapshot."""
    deadline = time.monotonic() + REGISTER_SECONDS
    while (answer := asked(s, "DELETE", "/offsets")).status_code in (409, 500):
        # Its task is still ending, or the worker takes its place in its group.
        _give_up(deadline, f"Kafka Connect does not forget the place of {NAME}: {answer.text[:200]}")
    done(answer)
    done(asked(s, "PUT", "/resume"))
    register(s)


def _stopped(s: Settings) -> bool:
    now = said(s)
    return now is not None and now["connector"]["state"] == "STOPPED" and not now["tasks"]
