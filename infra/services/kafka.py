"""The embedded brokers: one KRaft node on loopback, or a quorum of three, each a program of its own.

Data flow: Settings -> `<home>/kafka`, or `<home>/kafka/1` to `3`: configuration, formatted log -> Programs
Run: daybreak up --only kafka
"""

from pathlib import Path

from infra.failures import PermanentFailure
from infra.kafka import acls, brokers, login
from infra.kafka.brokers import ONE, THREE, Node
from infra.kafka.sent_topics import sent_topics
from infra.kafka_users import User
from infra.services import health, replicas
from infra.services.program import Name, Program, nothing
from infra.settings import Settings

BROKERS = (Name.KAFKA_1, Name.KAFKA_2, Name.KAFKA_3)
"""The programs of three, in the order of their numbers; one alone is `kafka`."""
FLEE = (
    "or a home of its own (DAYBREAK_HOME and DAYBREAK_PORT_BASE), or give this home's log up: daybreak down, move "
    "{folder} away, and as the log is then another one, give it a lake of its own (infra/README.md, Another log)"
)


def nodes(s: Settings, count: int | None = None) -> tuple[Node, ...]:
    """The brokers that the settings ask for, or `count` of them."""
    folder, host = s.home / "kafka", s.clients_host
    if (count or s.kafka_brokers) == ONE:
        return (Node(1, folder, s.kafka_port, s.kafka_controller_port, host),)
    ports = (
        (s.kafka_port, s.kafka_controller_port),
        (s.kafka_2_port, s.kafka_2_controller_port),
        (s.kafka_3_port, s.kafka_3_controller_port),
    )
    return tuple(Node(number, folder / str(number), *own, host) for number, own in enumerate(ports, start=1))


def other_size(s: Settings) -> str | None:
    """Why the brokers that the settings ask for cannot take this home's log, as a sentence; None if they can.

    The voters of a KRaft quorum are fixed when its logs are formatted, and every topic has one replica: three brokers of which
    two knew nothing would be no safer, and look so.
    """
    asked, other = s.kafka_brokers, THREE if s.kafka_brokers == ONE else ONE
    if not s.embedded("kafka_bootstrap") or not any(node.is_formatted for node in nodes(s, other)):
        return None
    way_out = FLEE.format(folder=s.home / "kafka")
    return (
        f"the log in {s.home}/kafka was made by {_words(other)}, and DAYBREAK_KAFKA_BROKERS asks for {_words(asked)}: a log "
        f"does not change their number. Set DAYBREAK_KAFKA_BROKERS={other}, {way_out}"
    )


def refuse_other_size(s: Settings) -> None:
    """Raise PermanentFailure if this home's log was made by another number of brokers; nothing has been stopped yet."""
    if why := other_size(s):
        raise PermanentFailure(why)


def _words(brokers_: int) -> str:
    return "one broker" if brokers_ == ONE else f"{brokers_} brokers"


def programs(s: Settings) -> list[Program]:
    """A program per broker. All three start side by side: a quorum of one would wait for ever."""
    every = nodes(s)
    names = (Name.KAFKA,) if len(every) == ONE else BROKERS
    return [_program(s, name, node, every) for name, node in zip(names, every, strict=True)]


def _complete(s: Settings) -> None:
    """Give each user its rights, and the owner what Kafka's own tools are told."""
    acls.write(s, sent_topics(s))
    login.files(s, User.OWNER)


def audit_file(s: Settings, name: Name) -> Path:
    """A line for each login that failed and each request that was refused; the file before it ends with `.1`."""
    return s.home / "logs" / f"{name}-audit.log"


def _program(s: Settings, name: Name, node: Node, every: tuple[Node, ...]) -> Program:
    prefix = "kafka" if node.number == 1 else f"kafka_{node.number}"
    return Program(
        name=name,
        command=tuple(brokers.command(s, node)),
        heap=(s.kafka_memory, "kafka_memory"),
        ports={f"{prefix}_port": node.port, f"{prefix}_controller_port": node.controller_port},
        waits_for=lambda pid: health.kafka(s, node),
        notices=lambda pid: replicas.notices(s, node),
        prepare=lambda: brokers.prepare(s, node, every, audit=audit_file(s, name)),
        # Rights are the cluster's: of three brokers one takes them for all.
        complete=(lambda: _complete(s)) if node.number == 1 else nothing,
    )
