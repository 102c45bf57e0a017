"""Mistakes about the embedded object store: an empty lake beside a full one, a race or a bad
copy that nobody sees.

Data flow: infra/store_format.py, infra/services, infra/lake -> Mutation
Run: python -m tests.mutations stores
"""

from tests.mutations.mutation import Mutation

FORMAT, STORE = "tests/infra/services/test_store_format.py", "tests/infra/test_store.py"

STORES = (
    Mutation(
        "stores: a home with MinIO's lake gets an empty one",
        "infra/store_format.py",
        '"minio" if (minio_folder(home) / ".minio.sys").is_dir() else None',
        "None",
        f"{FORMAT}::test_the_store_that_made_the_lake_runs_again",
    ),
    Mutation(
        "stores: a setting begins another store's lake beside the one that is there",
        "infra/store_format.py",
        "if has is None or has == store:",
        "if has is None or has != store:",
        f"{FORMAT}::test_another_store_is_refused_before_anything_stops",
    ),
    Mutation(
        "stores: a race that everybody won is no finding",
        "infra/lake/probe.py",
        "if said.count(CREATED) != 1:",
        "if said.count(CREATED) < 1:",
        f"{STORE}::test_doctor_sees_a_store_without_conditional_puts",
    ),
    Mutation(
        "stores: a copy that is not the original counts",
        "infra/lake/copied.py",
        "!= body.digest.digest()",
        '== b""',
        "tests/infra/services/test_move_store.py::test_a_file_that_is_not_what_was_read_is_told",
    ),
)
