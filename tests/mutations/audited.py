"""Mistakes about the files that say who was refused what: a refusal that is missing, a file without an end.

Data flow: infra/services/refusals.py -> Mutation
Run: python -m tests.mutations refus
"""

from tests.mutations.mutation import Mutation

REFUSALS, FILE = "tests/infra/services/test_refusals.py", "infra/services/refusals.py"

AUDITED = (
    Mutation(
        "refusals: a name of an object hides one",
        FILE,
        "else _REFUSED.search(line)",
        "else (head and _REFUSED.search(line))",
        f"{REFUSALS}::test_no_name_hides_a_refusal",
    ),
    Mutation(
        "refusals: the file grows for ever",
        FILE,
        '            file.replace(f"{file}.1")\n',
        "            pass\n",
        f"{REFUSALS}::test_the_file_does_not_grow_beyond_its_bound",
    ),
    Mutation(
        "refusals: a login that fails at Postgres is none",
        FILE,
        "28\\w{3}|42501",
        "42501",
        f"{REFUSALS}::test_postgres_says_by_its_code_what_a_refusal_is",
    ),
    Mutation(
        "refusals: who was refused is a key, and not a user",
        FILE,
        'names.get(entry["user"], entry["user"])',
        'entry["user"]',
        f"{REFUSALS}::test_a_server_keeps_its_process_its_log_and_its_users",
    ),
)
