"""What the shop's roles of Postgres are granted in its database, beside what its owner may.

Data flow: roles -> grants
Run: daybreak up --only postgres
"""

from collections.abc import Collection

from infra.postgres_roles import Role
from infra.services.roles import composed
from infra.shop.db.connection import Connection
from infra.shop.db.past import FUNCTIONS
from infra.shop.users import CAPTURE, READER, SHOP


def grant(database: Connection, own: Collection[Role]) -> None:
    """The shop may say when a past transaction was committed; capture and people read its tables, those to come too."""
    for function in FUNCTIONS:
        database.execute(composed("GRANT EXECUTE ON FUNCTION {} TO {}", function, SHOP))
    for role in {CAPTURE, READER}.intersection(own):
        database.execute(composed("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", role))
        database.execute(
            composed(
                "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT SELECT ON TABLES TO {}",
                SHOP,
                role,
            )
        )
