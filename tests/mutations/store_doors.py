"""Mistakes about who may do what with the lake's store: a right nobody was given, a key that stands in for all.

Data flow: infra/lake, infra/services, infra/commands -> Mutation
Run: python -m tests.mutations store
"""

from tests.mutations.mutation import Mutation

RIGHTS, STORE = "tests/infra/test_store_rights.py", "tests/infra/test_store.py"

STORE_DOORS = (
    Mutation(
        "store: a writer's key writes the whole lake",
        "infra/lake/rights.py",
        'f"{lake}/{folder}/{below}" for',
        'f"{lake}/{below}" for',
        f"{STORE}::test_a_key_writes_below_its_users_folders_only",
    ),
    Mutation(
        "store: who reads may write",
        "infra/lake/rights.py",
        '_allowed(READ, f"{lake}/*")',
        '_allowed((*READ, *WRITE), f"{lake}/*")',
        f"{STORE}::test_a_key_writes_below_its_users_folders_only",
    ),
    Mutation(
        "store: a user is an administrator",
        "infra/services/versitygw.py",
        '"role": "user"',
        '"role": "admin"',
        f"{RIGHTS}::test_the_servers_file_has_plain_users_and_not_the_root",
    ),
    Mutation(
        "store: the root's key stands in for every program's",
        "infra/lake/login.py",
        "    if not has_key(s, who):\n",
        "    if has_key(s, who):\n",
        f"{RIGHTS}::test_every_client_says_who_the_process_is",
    ),
    Mutation(
        "store: a step that Airflow starts has the stream's key",
        "infra/spark_conf.py",
        'return s.home / "spark" if user is User.NIGHT',
        'return s.home / "spark" if user is User.STREAM',
        f"{RIGHTS}::test_each_sparks_configuration_holds_one_users_key",
    ),
    Mutation(
        "store: what is refused is tried again for ever",
        "infra/lake/login.py",
        "if why else TransientFailure",
        "if not why else TransientFailure",
        f"{RIGHTS}::test_what_the_store_refuses_is_permanent_and_says_who[Arrow]",
    ),
    Mutation(
        "store: the lines to connect show the secret to whoever looks on",
        "infra/commands/s3_lines.py",
        "own.secret if show else options",
        "own.secret",
        f"{RIGHTS}::test_the_lines_to_copy_name_files_and_no_secret",
    ),
)
