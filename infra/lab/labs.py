"""The labs there are, in the order of their page.

Data flow: none, names and questions only
Run: daybreak lab --help
"""

from dataclasses import dataclass

from infra.registry import DEFAULT


@dataclass(frozen=True)
class Lab:
    """A lab: its name is also that of its command; `question` is its heading, `about` says what is done."""

    name: str
    question: str
    about: str

    @property
    def command(self) -> str:
        """What runs it."""
        return f"daybreak lab {self.name}"


FIT = Lab(
    "fit",
    "What fits: direct messages, a queue or a log?",
    "Each figure is of the newest run of a lab on this machine; the lab, whose section is below, says how it was measured. "
    "Times are UTC. On a terminal: daybreak lab fit.",
)
"""It stands before all others, and has no result of its own."""
DELIVERY = Lab(
    "delivery",
    "What does a consumer lose or double when it dies?",
    "One consumer runs in three ways on the same records, and is killed at random places. Its effect is a record in another "
    "topic. At-most-once commits the offsets and then writes, at-least-once writes and then commits, exactly-once does both "
    "in one transaction. Rolled back are records of transactions that a death left open: they are in the log, and no "
    "read-committed consumer sees them.",
)
GROUPS = Lab(
    "groups",
    "How do consumer groups share a log?",
    "Two groups read the same two partitions, p0 and p1. Members are killed, added, and made to hang. Lag is what a group "
    "has not committed yet. A member that takes over goes on at the committed offset, so it reads again what its "
    "predecessor had not committed. A death is found after the session timeout (6 s here), a hanging member after "
    "max.poll.interval.ms (6 s here; Kafka's default is 5 minutes).",
)
COMPACTION = Lab(
    "compaction",
    "What does a log keep, and is it enough?",
    "The same updates and deletions of keys go to a topic that keeps all of them, and to a compacted one, which keeps the "
    "newest record of each key; a deletion is a record without a value, a tombstone. Then a snapshot of the state in the "
    "middle of the log takes the place of the records before it, which are deleted as retention would do it. A state is "
    "rebuilt from each.",
)
POLLING = Lab(
    "polling",
    "How does one learn that a database has changed?",
    "The same changes of one table are followed in three ways: by a query for what is newer than the last answer, every so "
    "often; by notifications that a trigger sends (LISTEN/NOTIFY); and by change capture from the database's log. No follower "
    "looks for a moment in the middle. Delay is from commit to seen. CPU is that of the follower, of its process in the "
    "database, and for change capture of Kafka Connect too. It needs the option shop-db.",
)
DUAL_WRITES = Lab(
    "dual-writes",
    "What becomes of two systems that an application writes itself?",
    "Eight writers write a database, then a search index, then an event, each a moment apart; one dies between the first two. "
    "The same load again: the application writes only the database, and in the same transaction an outbox; index and events "
    "follow by change capture. At the end each is compared with the database, by the checker of daybreak shop-db check. It "
    "needs the option shop-db.",
)
CQRS = Lab(
    "cqrs",
    "One order: written how, and read how?",
    "Commands and queries have different forms (CQRS). An order is written as events, one after the other, and nothing of "
    "them is ever changed. It is read in forms that are made of them, each for a question of its own: a state at any time, a "
    "row by its key, a fact with how sure it is. Each can be thrown away and built anew. With the options shop-db and "
    "order-service there are more of them.",
)
DIRECT = Lab(
    "direct",
    "What does a message without a broker survive?",
    "One producer sends the shop's orders to two consumers, all processes of their own, directly and over Kafka. Each "
    "consumer is to get every order; with PUSH/PULL the two share them. Repeated on request: the producer keeps its newest "
    "messages, numbered, and a consumer asks for those that it misses. Retried: a post that gets no 2xx is tried again "
    "after growing pauses, from the producer's memory. Processes write what they sent and processed into one ledger, and "
    "this is counted. Out of order is what came after a higher number. Delay is from the moment when an order was due to "
    "be sent to the end of the work on it.",
)
OVERLOAD = Lab(
    "overload",
    "What becomes of the difference if the producer is four times as fast?",
    "One producer makes orders four times as fast as its consumer processes them, over transports whose policy for it was "
    "chosen: drop, buffer, wait, or a log. Not taken is what a transport refused, so that the producer knows; lost is what "
    "it took and never delivered. Delay is from the moment when an order was due to be made to the end of the work on it: where "
    "the producer is made to wait, orders wait before it. Sending is the time until the last order was taken. Sizes are what "
    "each process, the system's buffers of sockets, and the broker's disk had more than at the beginning. The platform's "
    "stream has such a limit too, DAYBREAK_MAX_OFFSETS_PER_TRIGGER and DAYBREAK_MAX_MB_PER_TRIGGER: what is more waits in "
    "the log, as daybreak lag shows. Its webhooks answer 429, as daybreak webhooks add --per-second says.",
)
QUEUE = Lab(
    "queue",
    "What does a queue do that a log does not?",
    "The same messages m1, m2, ... go to a queue of a broker (Apache Artemis), to a share group of Kafka, whose members share a "
    "topic record by record, and to a partition of Kafka. Consumers are processes, and are killed. In a queue and in a share "
    "group each message is acknowledged by itself; what is not goes to another consumer, behind what this one has already. A "
    "queue deletes what is acknowledged; a log keeps it, for whoever comes later. A message that is delivered too often is "
    "given up: a queue puts it into a dead-letter queue, a share group of Kafka 4.3 forgets it, and a partition has no such end. "
    "Speed is measured with one process that sends and one that takes at the same time, while so many messages wait. A durable "
    "message is on disk when its sender is told that it was taken: the queue's broker waits for the disk (fsync), Kafka's "
    "only hands it to the operating system. It needs the option queue.",
)
ACKS = Lab(
    "acks",
    "What is an acknowledgement worth when the broker that gave it dies?",
    "Three brokers of the lab's own keep each record three times. Four producers send numbered orders and wait for nobody "
    "(acks=0: the record is in the socket), for the leader (acks=1), or for all replicas in sync (acks=all); the last one also "
    "numbers its records, so that a broker knows one that it has (idempotence, which Kafka's clients allow with acks=all only). "
    "The leader of all is killed under load and another broker leads; the dead one comes back, and leads again, while nobody "
    "sends. Lost is what was acknowledged and is "
    "not in the log; doubled is there twice; out of order stands behind a higher number. A follower may be behind for up to 30 s "
    "(replica.lag.time.max.ms) and still be the next leader, so the leader is also killed while its followers pause, as in a "
    "long garbage collection. Bytes are those of all three brokers.",
)
LABS = (DELIVERY, GROUPS, ACKS, COMPACTION, POLLING, DUAL_WRITES, CQRS, DIRECT, OVERLOAD, QUEUE)
OF_DEFAULT = (POLLING, DUAL_WRITES, CQRS)
"""Those that need what only the project that comes along has: its database, its orders."""


def labs_of(project: str) -> tuple[Lab, ...]:
    """The labs that a project has."""
    return tuple(lab for lab in LABS if project == DEFAULT or lab not in OF_DEFAULT)
