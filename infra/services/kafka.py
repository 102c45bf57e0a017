"""The embedded broker: one KRaft node on loopback, run straight from its jars.

Data flow: Settings -> `<home>/kafka/server.properties`, formatted log folder -> Program
Run: daybreak up --only kafka
"""

import subprocess

from infra.failures import PermanentFailure
from infra.jvm import ONE_COMPILER
from infra.kafka.log4j import LOG4J
from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.setup.prerequisites import java

NODE = 1


def properties(s: Settings) -> dict[str, str]:
    """The broker's configuration."""
    listener, controller = f"127.0.0.1:{s.kafka_port}", f"127.0.0.1:{s.kafka_controller_port}"
    return {
        "process.roles": "broker,controller",
        "node.id": str(NODE),
        "controller.quorum.voters": f"{NODE}@{controller}",
        "listeners": f"PLAINTEXT://{listener},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{listener}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": f"{s.home}/kafka/log",
        # A typo in a topic's name must be an error, not a new topic.
        "auto.create.topics.enable": "false",
        # Arrival is the broker's clock: a producer's clock could run ahead and move the watermark.
        "log.message.timestamp.type": "LogAppendTime",
        "message.max.bytes": "1048588",
        "num.partitions": "1",
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "log.retention.check.interval.ms": "60000",
    }


def _java(s: Settings, *arguments: str) -> list[str]:
    log4j = f"-Dlog4j2.configurationFile={s.home}/kafka/log4j2.properties"
    return [java(), f"-Xmx{s.kafka_memory}", *s.jvm(ONE_COMPILER), log4j, "-cp", f"{s.home}/jars/kafka/*", *arguments]


def prepare(s: Settings) -> None:
    """Write the configuration; format the log folder if it is new."""
    folder = s.home / "kafka"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "server.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in properties(s).items()))
    (folder / "log4j2.properties").write_text(LOG4J)
    format_log = [
        "kafka.tools.StorageTool",
        "format",
        "--ignore-formatted",
        f"--cluster-id={s.kafka_cluster_id}",
        "-c",
        str(file),
    ]
    if not (folder / "log" / "meta.properties").exists():
        said = subprocess.run(_java(s, *format_log), capture_output=True, text=True)
        if said.returncode:
            raise PermanentFailure(f"Kafka's log folder {folder}/log cannot be formatted: {said.stdout}{said.stderr}")


def program(s: Settings) -> Program:
    """The broker."""
    return Program(
        name=Name.KAFKA,
        command=tuple(_java(s, "kafka.Kafka", f"{s.home}/kafka/server.properties")),
        heap=(s.kafka_memory, "kafka_memory"),
        ports={"kafka_port": s.kafka_port, "kafka_controller_port": s.kafka_controller_port},
        waits_for=lambda pid: health.kafka(s),
        prepare=lambda: prepare(s),
    )
