"""Mistakes about who may do what with the embedded Postgres: a role that is more than a login, a database open to all.

Data flow: infra/services, infra/shop, infra/lake -> Mutation
Run: python -m tests.mutations postgres
"""

from tests.mutations.mutation import Mutation

ROLES = "tests/infra/test_postgres_roles.py"

POSTGRES_DOORS = (
    Mutation(
        "postgres: every role enters every database",
        "infra/services/roles.py",
        '"REVOKE ALL ON DATABASE {} FROM PUBLIC"',
        '"REVOKE CREATE ON DATABASE {} FROM PUBLIC"',
        f"{ROLES}::test_a_role_enters_its_own_database_only",
    ),
    Mutation(
        "postgres: a role makes roles",
        "infra/services/roles.py",
        "NOCREATEROLE",
        "CREATEROLE",
        f"{ROLES}::test_no_role_is_more_than_a_login",
    ),
    Mutation(
        "postgres: who captures changes copies the whole server",
        "infra/services/postgres.py",
        "{kind} all all 127.0.0.1/32",
        "{kind} all,replication all 127.0.0.1/32",
        f"{ROLES}::test_what_the_capture_needs_it_may_and_no_more[copy the whole server]",
    ),
    Mutation(
        "postgres: the capture reads no table that is made later",
        "infra/shop/db/rights.py",
        "GRANT SELECT ON TABLES TO {}",
        "GRANT INSERT ON TABLES TO {}",
        f"{ROLES}::test_what_the_capture_needs_it_may_and_no_more[read the shop's tables]",
    ),
    Mutation(
        "postgres: a person writes the shop's tables",
        "infra/shop/db/rights.py",
        "GRANT SELECT ON TABLES TO {}",
        "GRANT SELECT, INSERT ON TABLES TO {}",
        f"{ROLES}::test_a_person_reads_and_does_nothing_else[write the shop's tables]",
    ),
    Mutation(
        "postgres: people take the sessions of leases",
        "infra/services/roles.py",
        "CONNECTION LIMIT {told.sessions}",
        "CONNECTION LIMIT -1",
        f"{ROLES}::test_people_leave_sessions_for_the_leases",
    ),
    Mutation(
        "postgres: a lease is taken as the server's own role",
        "infra/lake/lease.py",
        "Role.LEASE",
        "Role.OWNER",
        f"{ROLES}::test_a_lease_is_its_own_roles",
    ),
    Mutation(
        "postgres: Debezium is the shop",
        "infra/shop/db/connector.py",
        "parts(s, CAPTURE)",
        "parts(s)",
        f"{ROLES}::test_each_program_says_its_role",
    ),
    Mutation(
        "postgres: a Postgres of yours is told our passwords",
        "infra/postgres_login.py",
        's.embedded("postgres_dsn") and bool(password(s, role))',
        "bool(password(s, role))",
        f"{ROLES}::test_a_postgres_of_yours_is_told_what_you_say",
    ),
)
