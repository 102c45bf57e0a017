"""Mistakes about who may do what on this machine: files that others may read, a login or a statement that nobody looks at.

Data flow: infra/owner_only.py, infra/services, infra/sql -> Mutation
Run: python -m tests.mutations doors
"""

from tests.mutations.mutation import Mutation

OWNER_ONLY = "tests/infra/test_owner_only.py"

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
        "doors: a home that was open stays so",
        "infra/services/place.py",
        "    owner_only.narrow(s.home)\n",
        "",
        f"{OWNER_ONLY}::test_a_home_that_was_open_is_closed_with_all_in_it",
    ),
)
