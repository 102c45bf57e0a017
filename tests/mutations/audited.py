"""Mistakes about what fills a home: a refusal that is missing, a log without an end, what killed programs leave.

Data flow: infra/services, infra/left_behind.py -> Mutation
Run: python -m tests.mutations refus
"""

from tests.mutations.mutation import Mutation

REFUSALS, FILE = "tests/infra/services/test_refusals.py", "infra/services/refusals.py"
LEFT = "tests/infra/test_left_behind.py"

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
    Mutation(
        "left behind: a folder is old although somebody writes below it",
        "infra/left_behind.py",
        "    for path in (entry, *below):",
        "    for path in (entry,):",
        f"{LEFT}::test_what_nobody_wrote_to_for_a_week_is_removed",
    ),
    Mutation(
        "left behind: what a living process works in is removed",
        "infra/left_behind.py",
        "    except BlockingIOError:\n        yield False\n",
        "    except BlockingIOError:\n        yield True\n",
        f"{LEFT}::test_what_a_killed_process_left_goes_when_the_next_begins",
    ),
    Mutation(
        "left behind: what a killed process worked in stays for a week",
        "infra/left_behind.py",
        "    else:\n        yield True\n",
        "    else:\n        yield False\n",
        f"{LEFT}::test_what_a_killed_process_left_goes_when_the_next_begins",
    ),
    Mutation(
        "left behind: a running gateway's folder is removed",
        "infra/left_behind.py",
        "entry.name in LONG_LIVED or ",
        "",
        f"{LEFT}::test_what_nobody_wrote_to_for_a_week_is_removed",
    ),
    Mutation(
        "left behind: the gateway's JVM works where everybody does",
        "infra/services/gateway.py",
        '        "java.io.tmpdir": str(left_behind.working_folder(s, "gateway")),\n',
        "",
        f"{LEFT}::test_a_gateway_begins_with_empty_folders_of_its_own",
    ),
)
