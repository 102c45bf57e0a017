"""The followers of the polling lab: a query every so often, LISTEN/NOTIFY, and change capture.

Data flow: Postgres, or the topic of the lab's own connector -> Follower
Run: daybreak lab polling
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import psutil
from confluent_kafka import OFFSET_BEGINNING, TopicPartition
from psycopg import Notify

from infra.kafka import client
from infra.lab.own_capture import slot
from infra.lab.polling_table import Change, Follower, Scene
from infra.services.supervisor import Supervisor
from infra.settings import Settings
from infra.shop.db.connection import Connection, connected
from infra.shop.services.names import CONNECT

TABLE = "lab_polling"
LOOK_SECONDS = 0.05


def poll(s: Settings, scene: Scene, every: float) -> Follower:
    """Ask every so many seconds for rows that are newer than the newest known."""
    own, newest = Follower(f"a query every {every:g} s"), datetime.fromtimestamp(0, UTC)
    with connected(s) as database, _cpu(s, own, database):
        scene.ready.tell()
        looked = time.monotonic()
        while not scene.over.wait(every):
            if scene.away.is_set():
                continue
            if time.monotonic() - looked > 1.5 * every:
                own.absent.append((looked, time.monotonic()))
            looked = time.monotonic()
            own.queries += 1
            query = "SELECT value, changed_at FROM lab_polling WHERE changed_at > %s ORDER BY changed_at"
            for value, at in database.execute(query, [newest]).fetchall():
                own.see(Change("write", value))
                newest = max(newest, at)
    return own


def listen(s: Settings, scene: Scene) -> Follower:
    """Hear what the trigger tells; while away there is no connection, as when a client restarts."""
    own, left = Follower("LISTEN/NOTIFY"), None
    while not scene.over.is_set():
        with connected(s) as database, _cpu(s, own, database):
            database.execute("LISTEN lab_polling")
            own.queries += 1
            _begin(scene, own, left)
            while not scene.over.is_set() and not scene.away.is_set():
                _hear(own, database.notifies(timeout=LOOK_SECONDS))
            left = time.monotonic()
            # All that was committed until now was told before this: a server that is busy has not said it yet.
            database.execute("NOTIFY lab_polling, 'left now'")
            _hear(own, database.notifies())
        while scene.away.is_set() and not scene.over.is_set():
            time.sleep(LOOK_SECONDS)
    return own


def capture(s: Settings, scene: Scene, topic: str) -> Follower:
    """Read the connector's topic; while away there is no consumer, and the next one goes on where the last one was."""
    own, offset, left = Follower("change capture"), OFFSET_BEGINNING, None
    before = _server_cpu(s)
    started = time.thread_time()
    while not scene.over.is_set():
        with client.consumer("lab", {"isolation.level": "read_committed", "fetch.wait.max.ms": "10"}) as consumer:
            consumer.assign([TopicPartition(topic, 0, offset)])
            _begin(scene, own, left)
            while not scene.over.is_set() and not scene.away.is_set():
                left = time.monotonic()
                message = consumer.poll(LOOK_SECONDS)
                if message is None or message.error():
                    continue
                offset = (message.offset() or 0) + 1
                value = json.loads(message.value() or b"{}")
                if value["op"] == "d":
                    own.see(Change("delete", value["before"]["value"]))
                else:
                    own.see(Change("write", value["after"]["value"]))
        while scene.away.is_set() and not scene.over.is_set():
            time.sleep(LOOK_SECONDS)
    own.cpu = time.thread_time() - started + _server_cpu(s) - before
    return own


def _hear(own: Follower, notifications: Iterator[Notify]) -> None:
    """See what is told, until nothing is, or until its own word that it left."""
    for told in notifications:
        what, value = told.payload.split()
        if what == "left":
            return
        own.see(Change("delete" if what == "delete" else "write", int(value)))


def _begin(scene: Scene, own: Follower, left: float | None) -> None:
    """It looks from now on; again, if it had `left`."""
    if left is None:
        scene.ready.tell()
    else:
        own.absent.append((left, time.monotonic()))


@contextmanager
def _cpu(s: Settings, own: Follower, database: Connection) -> Iterator[None]:
    """Add the CPU of the block: this thread's, and that of the connection's process where the server is ours."""
    process = psutil.Process(database.info.backend_pid) if s.embedded("shop_dsn") else None
    before = time.thread_time() + _of(process)
    try:
        yield
    finally:
        own.cpu += time.thread_time() + _of(process) - before


def _server_cpu(s: Settings) -> float:
    """CPU of Kafka Connect, and of the database's process that sends it the log."""
    worker = Supervisor(s).processes()[CONNECT].pid
    with connected(s) as database:
        found = database.execute(
            "SELECT active_pid FROM pg_replication_slots WHERE slot_name = %s", [slot(TABLE)]
        ).fetchone()
    sender = found[0] if found and s.embedded("shop_dsn") else None
    return sum(_of(psutil.Process(pid)) for pid in (worker, sender) if pid)


def _of(process: psutil.Process | None) -> float:
    if process is None:
        return 0.0
    try:
        spent = process.cpu_times()
    except psutil.Error:
        # It has ended with its connection.
        return 0.0
    return float(spent.user + spent.system)
