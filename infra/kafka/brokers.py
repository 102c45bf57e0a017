"""Brokers on this machine: one, or a quorum of three. What each is configured with, how it is started, how its log is made.

Data flow: Nodes -> `<folder>/server.properties`, formatted `<folder>/log`, the command of each broker
Run: daybreak up --only kafka
Source: Kafka's documentation, "KRaft", "Broker configs"; KIP-966 for min.insync.replicas.

Each is broker and controller in one process. Of three, any one may die: two are a majority of the controllers, and a record that
was acknowledged with acks=all is on one of them at least, because a write needs two replicas. The voters are written into each
configuration, and are a fact of a cluster from its first moment on: one broker is not grown into three.
"""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from infra.failures import PermanentFailure
from infra.jvm import ONE_COMPILER
from infra.kafka import door
from infra.kafka.log4j import LOG4J, audited
from infra.owner_file import put
from infra.settings import Settings
from infra.setup.prerequisites import java
from infra.tls_settings import LOOPBACK

ONE, THREE = 1, 3
"""Sizes of a cluster: two brokers would stand still at the death of either."""
CLASS_PATH = "{0}/jars/kafka/*:{0}/jars/spark/daybreak.jar"
"""Kafka's own, and our classes, of which the door's is one."""


@dataclass(frozen=True)
class Node:
    """A broker: its number in the cluster, from 1, its folder, and its ports on loopback."""

    number: int
    folder: Path
    port: int
    controller_port: int
    host: str = LOOPBACK
    """Where clients and the others find it; it listens on loopback alone."""

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"{self.host}:{self.port}"

    @property
    def file(self) -> Path:
        """Its configuration."""
        return self.folder / "server.properties"

    @property
    def log(self) -> Path:
        """Where its records are."""
        return self.folder / "log"

    @property
    def is_formatted(self) -> bool:
        """Has it a log already?"""
        return (self.log / "meta.properties").exists()


def replication(brokers: int) -> dict[str, str]:
    """How often every topic is kept, Kafka's own too, and how many replicas must have a record before it is acknowledged."""
    copies, least = str(brokers), str(brokers // 2 + 1)
    factors = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
    found = {"default.replication.factor": copies, **{f"{one}.replication.factor": copies for one in factors}}
    found |= {"transaction.state.log.min.isr": least, "share.coordinator.state.topic.min.isr": least}
    return found if brokers == ONE else found | {"min.insync.replicas": least}


def properties(node: Node, nodes: Sequence[Node]) -> dict[str, str]:
    """The configuration of one of these brokers."""
    listener, controller = f"{LOOPBACK}:{node.port}", f"{LOOPBACK}:{node.controller_port}"
    return {
        "process.roles": "broker,controller",
        "node.id": str(node.number),
        "controller.quorum.voters": ",".join(f"{one.number}@{one.host}:{one.controller_port}" for one in nodes),
        "listeners": f"{door.BROKERS}://{listener},{door.CONTROLLERS}://{controller}",
        "advertised.listeners": f"{door.BROKERS}://{node.address}",
        "controller.listener.names": door.CONTROLLERS,
        "log.dirs": str(node.log),
        # A typo in a topic's name must be an error, not a new topic.
        "auto.create.topics.enable": "false",
        # Arrival is the broker's clock: a producer's clock could run ahead and move the watermark.
        "log.message.timestamp.type": "LogAppendTime",
        "message.max.bytes": "1048588",
        "num.partitions": "1",
        **replication(len(nodes)),
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.num.partitions": "4",
        "group.initial.rebalance.delay.ms": "0",
        # What a share group may set for itself: as little as a consumer group may (group.min.session.timeout.ms).
        "group.share.min.session.timeout.ms": "6000",
        "group.share.min.heartbeat.interval.ms": "500",
        "log.retention.check.interval.ms": "60000",
    }


def command(s: Settings, node: Node) -> list[str]:
    """What starts it."""
    return [*_java(s, node), "kafka.Kafka", str(node.file)]


def prepare(
    s: Settings,
    node: Node,
    nodes: Sequence[Node],
    more: Mapping[str, str] = MappingProxyType({}),
    audit: Path | None = None,
) -> None:
    """Write the configuration, with `more` of its own; format the log if it is new. `audit`: where it says whom it refused what,
    by default in its folder.

    Raises PermanentFailure if that fails, with Kafka's own words.
    """
    node.folder.mkdir(parents=True, exist_ok=True)
    lines = {**properties(node, nodes), **more, **door.properties(s, node.folder)}
    door.write(s, node.folder)
    put(node.file, "".join(f"{key}={value}\n" for key, value in lines.items()))
    _log4j(node).write_text(LOG4J + audited(audit or node.folder / "audit.log"))
    if node.is_formatted:
        return
    format_log = ["kafka.tools.StorageTool", "format", "--ignore-formatted", f"--cluster-id={s.kafka_cluster_id}"]
    said = subprocess.run([*_java(s, node), *format_log, "-c", str(node.file)], capture_output=True, text=True)
    if said.returncode:
        raise PermanentFailure(f"Kafka's log folder {node.log} cannot be formatted: {said.stdout}{said.stderr}")


def _log4j(node: Node) -> Path:
    return node.folder / "log4j2.properties"


def _java(s: Settings, node: Node) -> list[str]:
    log4j = f"-Dlog4j2.configurationFile={_log4j(node)}"
    return [java(), f"-Xmx{s.kafka_memory}", *s.jvm(ONE_COMPILER), log4j, "-cp", CLASS_PATH.format(s.home)]
