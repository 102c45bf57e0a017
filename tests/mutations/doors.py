"""Mistakes about who may do what on this machine: files that others may read, a login or a statement that nobody looks at.

Data flow: infra/owner_only.py, infra/services, infra/sql -> Mutation
Run: python -m tests.mutations doors
"""

from tests.mutations.mutation import Mutation

OWNER_ONLY = "tests/infra/test_owner_only.py"
PROGRAM = "tests/infra/services/test_gateway_program.py"

DOORS = (
    Mutation(
        "doors: a process of ours writes what others may read",
        "infra/owner_only.py",
        "UMASK = 0o077",
        "UMASK = 0o027",
        f"{OWNER_ONLY}::test_a_process_of_ours_writes_for_its_owner_alone",
    ),
    Mutation(
        "doors: supervisor writes for everybody, and so does all that it starts",
        "infra/services/configuration.py",
        '"umask": f"{owner_only.UMASK:03o}"',
        '"umask": "022"',
        f"{OWNER_ONLY}::test_what_sets_modes_itself_is_told_them",
    ),
    Mutation(
        "doors: a file with a secret is as open as the umask lets it be",
        "infra/owner_file.py",
        "fresh.touch(mode=OWNER_ONLY)",
        "fresh.touch()",
        f"{OWNER_ONLY}::test_a_file_that_holds_a_secret_is_shut_whatever_the_umask",
    ),
    Mutation(
        "doors: a home that was open stays so",
        "infra/services/place.py",
        "    owner_only.narrow(s.home)\n",
        "",
        f"{OWNER_ONLY}::test_a_home_that_was_open_is_closed_with_all_in_it",
    ),
    Mutation(
        "doors: nobody looks at a statement",
        "infra/services/gateway.py",
        'f"daybreak.sql.Rights,{',
        'f"{',
        f"{PROGRAM}::test_no_setting_takes_its_check_away",
    ),
    Mutation(
        "doors: the gateway asks nobody for a password",
        "infra/services/gateway.py",
        '"spark.hadoop.hive.server2.authentication": "CUSTOM"',
        '"spark.hadoop.hive.server2.authentication": "NONE"',
        f"{PROGRAM}::test_no_setting_takes_its_check_away",
    ),
    Mutation(
        "doors: a statement tells what the process's environment holds",
        "infra/services/gateway.py",
        '"spark.sql.variable.substitute": "false"',
        '"spark.sql.variable.substitute": "true"',
        f"{PROGRAM}::test_no_setting_takes_its_check_away",
    ),
    Mutation(
        "doors: whoever reads the gateway's file of users may log in",
        "infra/sql/users.py",
        "{_hashed(password(s, role))}",
        "{password(s, role)}",
        f"{PROGRAM}::test_it_knows_its_users_by_hashes_alone",
    ),
    Mutation(
        "doors: an empty password is one",
        "infra/sql/users.py",
        "if missing := [role for role in Role if not password(s, role)]:",
        "if missing := [role for role in Role if password(s, role) is None]:",
        f"{PROGRAM}::test_it_does_not_start_without_a_password_for_everybody",
    ),
    Mutation(
        "doors: the lines to connect show the password to whoever looks on",
        "infra/commands/connect.py",
        "password(s, role) if show else file",
        "password(s, role)",
        f"{PROGRAM}::test_the_lines_to_connect_show_a_password_only_when_asked",
    ),
)
