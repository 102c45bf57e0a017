"""One run: a producer and a consumer that is too slow for it, watched from its first order until nothing comes any more.

Data flow: Case, Load -> processes -> ledger -> Watched
Run: daybreak lab overload
"""

import random
from pathlib import Path

from infra.lab.overload.brokers import Broker
from infra.lab.overload.cases import Case
from infra.lab.overload.load import TIMES, Load
from infra.lab.overload.watch import Watch, Watched
from infra.lab.processes.job import Job, Role
from infra.lab.processes.ledger import Reader
from infra.lab.processes.process import Family
from infra.lab.processes.together import Together
from infra.lab.transports.transport import Wire

PORT = 17_500
"""Below the ports that a system gives to whoever asks for any."""


def run(case: Case, load: Load, ledger: Path, broker: Broker, together: Together) -> Watched:
    """Run it. Raises TransientFailure if a process fails that was not to, or if it does not come to its end."""
    # An address of its own on loopback: no port of yours is touched, and two labs may run at once.
    a, b, c = (random.SystemRandom().randint(1, 254) for _ in range(3))
    wire = Wire(
        f"127.{a}.{b}.{c}",
        f"239.255.{b}.{c}",
        PORT,
        1,
        load.high_water,
        broker.place,
        broker.options,
        None if case.ends else load.high_water,
        load.socket_bytes,
    )
    with Reader(ledger) as reader, Family(case.transport, 2) as (consumer, producer):
        consumer.begin(Job(Role.CONSUMER, wire, str(ledger), 0, consumer=1, pace=load.rate / TIMES))
        producer.begin(
            Job(
                Role.PRODUCER,
                wire,
                str(ledger),
                0,
                orders_file=str(load.orders_file),
                end=load.count,
                rate=load.rate,
                consumers=1,
            )
        )
        together.begin()
        return Watch(case, load, reader, producer, consumer, wire.host, broker).until_over(together)
