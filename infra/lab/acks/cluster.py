"""Three brokers of the lab's own, configured as the platform's three, and its topics on them.

Data flow: a folder, free ports -> three brokers, topics -> who leads, what is in sync, bytes on disk
Run: daybreak lab acks

They find a dead one sooner than the platform's (SOON), so that a lab of a minute has several deaths. Which leads after it, and
what was acknowledged before it, does not depend on that.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]
from pydantic import SecretStr

from infra.failures import TransientFailure
from infra.kafka import door, login
from infra.kafka.brokers import THREE, Node, prepare
from infra.kafka.client import Options
from infra.kafka.replicas import NOBODY, Replicas, replicas
from infra.kafka_users import User
from infra.lab.acks.brokers import Brokers, free_ports
from infra.settings import Settings

SECONDS = 90
"""Longest wait for the brokers: on an idle machine they are up after five seconds."""
LOOK_SECONDS = 0.1
CLUSTER_ID = "ZGF5YnJlYWstbGFiLWFjaw"
MEMORY = "256m"
SILENT_MS = 3_000
"""A broker that is silent for so long counts as dead."""
SOON: Mapping[str, str] = {
    "broker.session.timeout.ms": str(SILENT_MS),
    "broker.heartbeat.interval.ms": "500",
    "controller.quorum.fetch.timeout.ms": "1000",
    "controller.quorum.election.timeout.ms": "500",
    # The dead one leads again as soon as it is in sync, and not only after five minutes.
    "leader.imbalance.check.interval.seconds": "1",
}


class Cluster:
    """Three brokers and the topics of the lab: of one partition and three replicas each, all led by the same broker."""

    def __init__(
        self, nodes: Sequence[Node], topics: Sequence[str], brokers: Brokers, login_: Mapping[str, str]
    ) -> None:
        self.nodes, self.topics, self.brokers = nodes, topics, brokers
        self._login = login_
        self._admin = AdminClient(self.options)

    @property
    def options(self) -> Options:
        """What a client needs to find them, and to log in."""
        found = ",".join(node.address for node in self.nodes)
        return {"bootstrap.servers": found, "log_level": 0, **self._login}

    def create_topics(self) -> None:
        """Create the topics. Raises TransientFailure if the brokers do not do it."""
        everywhere = [[node.number for node in self.nodes]]
        new = [NewTopic(topic, 1, replica_assignment=everywhere) for topic in self.topics]
        try:
            for created in self._admin.create_topics(new).values():
                created.result(timeout=SECONDS)
        except KafkaException as failure:
            raise TransientFailure(f"the lab's brokers made no topics: {failure.args[0].str()}") from failure

    def leader(self) -> int:
        """The broker that leads all topics, or NOBODY."""
        leaders = {one.leader for one in self._replicas()}
        return leaders.pop() if len(leaders) == 1 else NOBODY

    def wait_led(self, without: int) -> None:
        """Wait until another broker leads all topics."""
        self._wait(
            f"another leader than broker {without}",
            lambda: self._is_led(without),
        )

    def wait_whole(self) -> int:
        """Wait until all replicas are in sync, and one broker leads all topics: this broker."""
        self._wait("all replicas to be in sync", self._is_whole)
        self._wait("the first broker to lead all topics", lambda: self.leader() == self.nodes[0].number)
        return self.leader()

    def wait_up(self) -> None:
        """Wait until all brokers are registered."""
        self._wait("three brokers", lambda: len(self._admin.list_topics(timeout=2).brokers) == THREE)

    def bytes_of(self, topic: str) -> int:
        """Bytes of a topic's records on the disks of all brokers."""
        files = [file for node in self.nodes for file in (node.log / f"{topic}-0").glob("*.log")]
        return sum(file.stat().st_size for file in files)

    def _replicas(self) -> list[Replicas]:
        found = [one for one in replicas(self._admin.list_topics(timeout=2)) if one.topic in self.topics]
        return found if len(found) == len(self.topics) else []

    def _is_led(self, without: int) -> bool:
        found = self._replicas()
        return bool(found) and all(one.leader not in (NOBODY, without) for one in found)

    def _is_whole(self) -> bool:
        found = self._replicas()
        return bool(found) and all(len(one.in_sync) == THREE and not one.is_offline for one in found)

    def _wait(self, what: str, is_so: Callable[[], bool]) -> None:
        give_up = time.monotonic() + SECONDS
        while True:
            try:
                if is_so():
                    return
            except KafkaException:
                pass  # nobody answers yet
            self.brokers.check()
            if time.monotonic() > give_up:
                raise TransientFailure(f"the lab waited {SECONDS} s for {what}: is the machine very busy?")
            time.sleep(LOOK_SECONDS)


@contextmanager
def cluster(s: Settings, folder: Path, topics: Sequence[str]) -> Iterator[Cluster]:
    """Three running brokers with these topics, whose data is in `folder`; none of them outlives the block."""
    # Yours may be a Kafka of your own, and then there are no passwords of ours.
    password = secrets.token_hex(24)
    own_users = {user.setting: SecretStr(password if user in door.SUPER else "") for user in User}
    s = s.model_copy(update={"kafka_cluster_id": CLUSTER_ID, "kafka_memory": MEMORY, **own_users})
    ports = free_ports(2 * THREE)
    nodes = tuple(
        Node(number, folder / str(number), ports[2 * number - 2], ports[2 * number - 1], s.clients_host)
        for number in range(1, THREE + 1)
    )
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda node: prepare(s, node, nodes, SOON), nodes))
    with Brokers(s, nodes) as running:
        own = Cluster(nodes, topics, running, login.scram(s, User.OWNER, password))
        for node in nodes:
            running.start(node.number)
        own.wait_up()
        own.create_topics()
        own.wait_whole()
        yield own
