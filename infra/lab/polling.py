"""The polling lab: the same changes of a table, followed by queries, by notifications, and by change capture.

Data flow: a writer's transactions -> followers, each with what it saw and when -> delays, unseen changes, queries, CPU
Run: daybreak lab polling
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11: keeping systems in sync; PostgreSQL manual, NOTIFY.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from infra.lab import polling_followers as followers
from infra.lab.own_capture import captured
from infra.lab.polling_table import Change, Follower, Scene
from infra.lab.topics import topics
from infra.settings import Settings
from infra.shop.db.connection import connected

KEYS = 12
RATE = 25.0
"""Changes per second."""
AWAY = (0.4, 0.55)
"""Between which shares of the changes no follower looks."""
INTERVALS = (0.1, 1.0, 5.0)


def plan(count: int, seed: int) -> list[tuple[str, int]]:
    """What the writer does: (`write` or `delete`, key); one in six deletes, if the key is there."""
    chance, there, found = random.Random(seed), set[int](), []
    for _ in range(count):
        key = chance.randrange(KEYS)
        deletes = key in there and chance.random() < 1 / 6
        (there.discard if deletes else there.add)(key)
        found.append(("delete" if deletes else "write", key))
    return found


def measure(s: Settings, count: int, seed: int) -> tuple[Scene, list[Follower]]:
    """Run it. Raises TransientFailure if the database, Connect or Kafka fails."""
    with (
        _table(s),
        topics("polling", ["changes"], 1, s.kafka_replication) as (topic,),
        captured(s, [followers.TABLE], topic),
        ThreadPoolExecutor() as pool,
    ):
        scene = Scene()
        ways: list[Callable[[], Follower]] = [
            *(lambda every=every: followers.poll(s, scene, every) for every in INTERVALS),
            lambda: followers.listen(s, scene),
            lambda: followers.capture(s, scene, topic),
        ]
        running = [pool.submit(way) for way in ways]
        try:
            scene.ready.wait_for(len(ways))
            _write(s, scene, plan(count, seed))
            time.sleep(max(INTERVALS) + 1)
        finally:
            scene.over.set()
        return scene, [one.result() for one in running]


def _write(s: Settings, scene: Scene, steps: Sequence[tuple[str, int]]) -> None:
    """Write the changes at RATE, one transaction each; of each the time after its commit."""
    there: dict[int, int] = {}
    with connected(s) as own:
        for number, (what, key) in enumerate(steps):
            share = number / len(steps)
            (scene.away.set if AWAY[0] <= share < AWAY[1] else scene.away.clear)()
            begun = time.monotonic()
            if what == "write":
                own.execute(
                    "INSERT INTO lab_polling VALUES (%s, %s, clock_timestamp()) ON CONFLICT (id) DO UPDATE "
                    "SET value = excluded.value, changed_at = excluded.changed_at",
                    [key, number],
                )
                there[key] = number
                change = Change("write", number)
            else:
                own.execute("DELETE FROM lab_polling WHERE id = %s", [key])
                change = Change("delete", there.pop(key))
            scene.happened(change, begun)
            time.sleep(1 / RATE)


@contextmanager
def _table(s: Settings) -> Iterator[None]:
    """The lab's table with its trigger, gone at the end."""
    drop = "DROP TABLE IF EXISTS lab_polling; DROP FUNCTION IF EXISTS lab_polling_told"
    with connected(s) as own:
        own.execute(drop)
        own.execute(_TABLE)
    try:
        yield
    finally:
        with connected(s) as own:
            own.execute(drop)


_TABLE = """
CREATE TABLE lab_polling (id int PRIMARY KEY, value int NOT NULL, changed_at timestamptz NOT NULL);
CREATE INDEX ON lab_polling (changed_at);
ALTER TABLE lab_polling REPLICA IDENTITY FULL;
CREATE FUNCTION lab_polling_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM pg_notify('lab_polling', 'delete ' || OLD.value);
    ELSE
        PERFORM pg_notify('lab_polling', 'write ' || NEW.value);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER told AFTER INSERT OR UPDATE OR DELETE ON lab_polling FOR EACH ROW EXECUTE FUNCTION lab_polling_told();
"""
