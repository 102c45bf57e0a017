"""The SQL gateway: its writer changes gold only, whatever the statement says, and a careless statement ends alone."""

import json
from collections.abc import Iterator

import pytest
from approval import Story
from running import Platform

from infra.failures import PERMANENT_EXIT, PermanentFailure
from infra.lake import reader
from infra.sql import gateway
from infra.sql.users import Role

pytestmark = pytest.mark.platform

FOREIGN = (
    "ALTER TABLE silver.events SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
    "DELETE FROM silver.events",
    "INSERT INTO silver.events SELECT * FROM silver.events",
    "OPTIMIZE silver.events",
    "RESTORE TABLE silver.events TO VERSION AS OF 1",
    "INSERT INTO delta.`s3a://{bucket}/truth/events` SELECT * FROM truth.events LIMIT 1",
)
CARELESS = "SELECT size(collect_list(struct(a.id, b.id y))) FROM range(100000) a CROSS JOIN range(100000) b"


@pytest.fixture
def asked(story: Story, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Iterator[gateway.Gateway]:
    """A session of the writer, on a platform with gold."""
    monkeypatch.setattr(gateway, "settings", lambda: platform.settings)
    with gateway.opened(Role.WRITER) as own:
        yield own


def test_no_statement_changes_a_table_of_stream_or_night(asked: gateway.Gateway, platform: Platform) -> None:
    def form() -> tuple[object, ...]:
        at = reader.delta(platform.settings, "silver/events")
        return dict(at.metadata().configuration), at.protocol(), reader.count(platform.settings, "silver/events")

    before = form()
    for statement in FOREIGN:
        with pytest.raises(PermanentFailure, match="is refused, because writer writes gold"):
            asked.execute(statement.format(bucket=platform.settings.bucket))
    assert form() == before


def test_a_name_that_was_dropped_gets_its_own_table_again(asked: gateway.Gateway, platform: Platform) -> None:
    """Only the catalogue has changed, which is the gateway's own; but gold would be built from it."""
    other = f"CREATE TABLE silver.quarantine USING DELTA LOCATION '{platform.settings.lake}/silver/events'"
    count = "SELECT count(*) FROM silver.quarantine"
    right = asked.execute(count).rows
    asked.execute("DROP TABLE silver.quarantine")
    with pytest.raises(PermanentFailure, match="CREATE TABLE is refused"):
        asked.execute(other)
    gateway.register()
    assert asked.execute(count).rows == right


# In the soak: it fills a JVM beside two other workers, and nothing is known of how long that takes.
@pytest.mark.soak
def test_a_careless_statement_ends_alone(asked: gateway.Gateway, platform: Platform) -> None:
    running = platform.settings.home / "run" / "gateway.json"
    pid = json.loads(running.read_text())["pid"]
    others = 0
    with platform.begin("daybreak", "query", CARELESS) as careless:
        while careless.poll() is None:
            assert asked.execute("SELECT count(*), 1 FROM gold.fct_orders").rows[0][1] == 1
            others += 1
        _, said = careless.communicate()
    assert careless.returncode == PERMANENT_EXIT, said
    assert said.startswith("daybreak: the gateway ended the statement: the gateway's memory"), said
    assert others
    assert json.loads(running.read_text())["pid"] == pid
