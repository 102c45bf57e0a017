"""The queue broker: who gets a message, what comes again, what outlives its death, and what it refuses."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from overload_outcomes import case
from queue_server import QueueServer

from infra.failures import PermanentFailure, TransientFailure
from infra.lab.overload import brokers as overload
from infra.lab.overload.measure import outcome
from infra.lab.overload.run import Load, run
from infra.lab.overload.table import waiting
from infra.lab.processes.placed_orders import write_orders
from infra.lab.processes.together import Together
from infra.lab.transports.queue import options
from infra.queue.broker import Broker, dead_letters
from infra.queue.connection import FAN_OUT, ONE, SECONDS, Connection
from infra.queue.heard import Delivery
from infra.queue.management import Management

pytestmark = pytest.mark.slow


@pytest.fixture
def own(queue_server: QueueServer) -> Iterator[Connection]:
    """A connection; the queues are gone at the end."""
    with Connection(queue_server.broker) as connection:
        yield connection
    with Connection(queue_server.broker) as connection:
        management = Management(connection)
        for name in management.queues():
            management.delete(name)


def got(connection: Connection) -> Delivery:
    found = connection.receive(SECONDS)
    assert found
    return found


def becomes(true: Callable[[], bool]) -> None:
    give_up = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def test_a_wrong_password_is_refused_with_what_to_do(queue_server: QueueServer) -> None:
    there = queue_server.broker
    with pytest.raises(PermanentFailure, match="refuses the user 'daybreak': is DAYBREAK_QUEUE_PASSWORD"):
        Connection(Broker(there.host, there.port, there.user, "wrong"))


def test_a_broker_that_is_away_is_named() -> None:
    with pytest.raises(TransientFailure, match="the queue broker does not answer on port 9"):
        Connection(Broker("127.0.0.1", 9, "daybreak", "secret"))


def test_nothing_but_stomp_on_loopback_listens(queue_server: QueueServer) -> None:
    assert queue_server.process
    listening = psutil.Process(queue_server.process.pid).net_connections("inet")
    ends = [one.laddr for one in listening if one.status == psutil.CONN_LISTEN]
    assert [(end.ip.removeprefix("::ffff:"), end.port) for end in ends] == [
        ("127.0.0.1", queue_server.settings.queue_port)
    ]


def test_a_message_goes_to_one_consumer_until_it_is_acknowledged(queue_server: QueueServer, own: Connection) -> None:
    taken: list[int] = []
    with Connection(queue_server.broker) as first, Connection(queue_server.broker) as second:
        for connection in (first, second):
            connection.subscribe("work", window=ONE)
        for number in (1, 2, 3):
            own.send("work", b"m%d" % number, taken=lambda number=number: taken.append(number))
        own.flush()
        assert taken == [1, 2, 3]
        begun = [got(first), got(second)]
        assert {one.body for one in begun} == {b"m1", b"m2"}
        first.acknowledge(begun[0])
        third = got(first)
        assert (third.body, third.again) == (b"m3", False)
    # In which order, depends on whose end the broker hears of first.
    left = [got(one) for one in _consumer(queue_server, "work", 2)]
    assert {(one.body, one.again) for one in left} == {(begun[1].body, True), (b"m3", True)}


def _consumer(server: QueueServer, queue: str, messages: int) -> Iterator[Connection]:
    """A new consumer, once for each message; it acknowledges none."""
    with Connection(server.broker) as connection:
        connection.subscribe(queue)
        for _ in range(messages):
            yield connection


def test_fan_out_gives_every_subscriber_every_message(queue_server: QueueServer, own: Connection) -> None:
    with Connection(queue_server.broker) as first, Connection(queue_server.broker) as second:
        for connection in (first, second):
            connection.subscribe("news", headers=FAN_OUT)
            connection.flush()
        own.send("news", b"m1", headers=FAN_OUT)
        assert [got(one).body for one in (first, second)] == [b"m1", b"m1"]


def test_a_message_that_nobody_acknowledges_becomes_a_dead_letter(queue_server: QueueServer, own: Connection) -> None:
    own.send("poison", b"m1")
    own.flush()
    management = Management(own)
    for delivery in range(queue_server.settings.queue_attempts):
        with Connection(queue_server.broker) as connection:
            connection.subscribe("poison")
            assert got(connection).again == (delivery > 0)
            # As a process does that is killed.
            connection._stomp.transport.disconnect_socket()
        becomes(lambda: management.consumers("poison") == 0)
    becomes(lambda: management.given_up() == {dead_letters("poison"): 1})


def test_what_is_durable_outlives_the_brokers_death(tmp_path: object, queue_server: QueueServer) -> None:
    with Connection(queue_server.broker) as connection:
        for number in range(100):
            connection.send("kept", b"m%d" % number)
            connection.send("forgotten", b"m%d" % number, durable=False)
        connection.flush()
        queue_server.kill()
        with pytest.raises(TransientFailure, match="the connection to the queue broker has ended"):
            connection.flush()
    queue_server.start()
    with Connection(queue_server.broker) as connection:
        management = Management(connection)
        kept = management.waiting("kept")
        assert (kept, "forgotten" in management.queues() and management.waiting("forgotten")) == (100, 0)


def _send(server: QueueServer, queue: str, messages: int) -> None:
    """Numbered messages of 1,000 bytes."""
    with Connection(server.broker) as sender:
        for number in range(messages):
            sender.send(queue, b"%d " % number + b"x" * 1_000)
            if number % 1_000 == 0:
                sender.flush()


def test_a_queue_beyond_memory_loses_nothing_until_its_disk_is_full(queue_server: QueueServer, own: Connection) -> None:
    with pytest.raises(TransientFailure, match="its queue is full"):
        _send(queue_server, "long", 100_000)
    waiting = Management(own).waiting("long")
    assert 10_000 < waiting < 40_000, "with its head, a message of 1,000 bytes takes more: 16 MB, and what memory holds"
    with Connection(queue_server.broker) as consumer:
        consumer.subscribe("long")
        numbers = []
        for _ in range(waiting):
            delivery = got(consumer)
            numbers.append(int(delivery.body.split()[0]))
            consumer.acknowledge(delivery)
    # What was on its way when the first one was refused may still be taken.
    assert len(set(numbers)) == waiting
    assert set(range(10_000)) <= set(numbers)


def test_a_queue_larger_than_its_memory_goes_to_disk_and_loses_none(queue_server: QueueServer, tmp_path: Path) -> None:
    """As the lab of overload does it: by its transport, with a consumer that is too slow."""
    load = Load(tmp_path / "file", 2_000, 4_000.0)
    write_orders(load.orders_file, load.count, seed=1)
    pages = queue_server.settings.home / "queue" / "data" / "paging"
    there = overload.Broker("lab-overload-test", options(queue_server.broker), [], [pages])
    watched = run(case("queue broker"), load, tmp_path / "ledger", there, Together(1))
    found = outcome(case("queue broker"), load.count, watched, there)
    assert (found.taken, found.lost) == (load.count, 0)
    assert max(waiting(found)) > load.count / 2
    assert max(sample.disk for sample in found.samples) - found.samples[0].disk > 100_000
