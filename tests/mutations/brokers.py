"""Mistakes about three brokers: a write that one replica suffices for, a log that is opened by another number of them.

Data flow: infra/kafka, infra/services -> Mutation
Run: python -m tests.mutations brokers
"""

from tests.mutations.mutation import Mutation

BROKERS, REPLICAS = "tests/infra/services/test_brokers.py", "tests/infra/services/test_replicas.py"

BROKEN = (
    Mutation(
        "brokers: one replica of three is enough for an acknowledgement",
        "infra/kafka/brokers.py",
        "str(brokers), str(brokers // 2 + 1)",
        "str(brokers), str(brokers // 2)",
        f"{BROKERS}::test_three_brokers_keep_every_record_three_times",
    ),
    Mutation(
        "brokers: a log of three is opened by one, if not all three are there",
        "infra/services/kafka.py",
        "not any(node.is_formatted for node in nodes(s, other))",
        "not all(node.is_formatted for node in nodes(s, other))",
        f"{BROKERS}::test_a_home_of_another_number_is_refused_before_anything_stops",
    ),
    Mutation(
        "brokers: a partition with just enough replicas refuses writes",
        "infra/services/replicas.py",
        "len(one.in_sync) < least[one.topic]",
        "len(one.in_sync) <= least[one.topic]",
        f"{REPLICAS}::test_too_few_replicas_refuse_what_wants_all",
    ),
    Mutation(
        "brokers: a broker whose replicas are behind counts as healthy",
        "infra/services/health.py",
        "behind = sum(node.number in one.behind for one in every)",
        "behind = 0",
        f"{BROKERS}::test_a_broker_is_healthy_when_its_replicas_are",
    ),
)
