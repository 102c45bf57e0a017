"""Mistakes about a Spark cluster: one process takes it all, anybody may talk to it, executors get half of the code.

Data flow: infra/cluster_conf.py, infra/shipped_code.py -> Mutation
Run: python -m tests.mutations cluster
"""

from tests.mutations.mutation import Mutation

CONF, CODE = "tests/infra/test_cluster_conf.py", "tests/infra/test_shipped_code.py"

CLUSTER = (
    Mutation(
        "cluster: the stream takes all cores",
        "infra/cluster_conf.py",
        '(2 if process == "stream" else 4)',
        '(1 if process == "stream" else 4)',
        f"{CONF}::test_no_process_takes_all_cores",
    ),
    Mutation(
        "cluster: drivers and executors talk in the clear",
        "infra/cluster_conf.py",
        '"spark.network.crypto.enabled": "true"',
        '"spark.network.crypto.enabled": "false"',
        f"{CONF}::test_everything_is_authenticated_and_encrypted_at_one_address",
    ),
    Mutation(
        "cluster: one large record, and a micro-batch is written twice",
        "streaming/micro_batch/rate.py",
        "again.filter(pc.greater(again[SIZE], largest))",
        "again.filter(pc.greater(again[SIZE], -1))",
        "tests/streaming/test_rate.py::test_executors_that_see_no_limit_double_nothing",
    ),
    Mutation(
        "cluster: checkpoints in the home, for executors on other machines",
        "infra/cluster_conf.py",
        'in ("", "file")',
        'in ("",)',
        f"{CONF}::test_what_executors_elsewhere_cannot_reach_is_named",
    ),
    Mutation(
        "cluster: executors get the code without the schemas beside it, and every value of a topic is unknown to them",
        "infra/shipped_code.py",
        "file.is_file() and not any(",
        'file.suffix == ".py" and not any(',
        f"{CODE}::test_it_has_every_package_and_the_schemas_beside_them",
    ),
)
