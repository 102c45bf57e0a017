"""Who may do what on a running platform: each right tried as each user, and logins."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from approval import Story
from pyhive import hive
from pyhive.exc import Error
from running import Platform
from thrift.transport.TTransport import TTransportException

from infra.failures import PermanentFailure
from infra.lake.s3 import client
from infra.services.gateway import audit_file
from infra.sql import gateway
from infra.sql.rights import RIGHTS, SCRATCH
from infra.sql.users import Role, password
from infra.store_users import User

pytestmark = pytest.mark.platform


@pytest.fixture
def running(story: Story, platform: Platform, monkeypatch: pytest.MonkeyPatch) -> Platform:
    """A platform with gold, whose settings the gateway's client takes."""
    monkeypatch.setattr(gateway, "settings", lambda: platform.settings)
    return platform


@pytest.fixture
def scratch(running: Platform) -> Iterator[Platform]:
    """With a table in gold that nobody reads, and without it afterwards."""
    s = running.settings
    with gateway.opened(Role.WRITER) as own:
        own.execute(
            f"CREATE OR REPLACE TABLE {SCRATCH} USING delta LOCATION '{s.lake}/gold/rights_tried' AS SELECT 1 AS a"
        )
        yield running
        own.execute(f"DROP TABLE IF EXISTS {SCRATCH}")
    store = client(s, user=User.GATEWAY)
    for one in store.list_objects(s.bucket, "gold/rights_tried/", recursive=True):
        store.remove_object(s.bucket, str(one.object_name))


def outcomes(platform: Platform, role: Role) -> dict[str, str | None]:
    """Statement -> why it was refused; None if it was run."""
    found: dict[str, str | None] = {}
    with gateway.opened(role) as own:
        for right in RIGHTS:
            for sql in right.tries:
                try:
                    own.execute(sql.format(lake=platform.settings.lake))
                    found[sql] = None
                except PermanentFailure as refused:
                    found[sql] = str(refused)
    return found


@pytest.mark.parametrize("role", Role)
def test_each_user_may_do_what_the_table_says(scratch: Platform, role: Role) -> None:
    before = written(scratch)
    tried = outcomes(scratch, role)
    allowed = {sql for right in RIGHTS if role in right.may for sql in right.tries}
    assert {sql: why for sql, why in tried.items() if sql in allowed and why} == {}
    refused = {sql: why for sql, why in tried.items() if sql not in allowed}
    assert [sql for sql, why in refused.items() if not why or "daybreak connect sql" not in why] == []
    lines = written(scratch)[len(before) :]
    assert [line["user"] for line in lines] == [role] * len(refused)
    assert "rights_tried" not in json.dumps(lines)


def written(platform: Platform) -> list[dict[str, str]]:
    """The audit log."""
    file = audit_file(platform.settings)
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def login(platform: Platform, user: str, password: str | None, **more: Any) -> Any:
    """What the first statement of a session says."""
    how = {"auth": "CUSTOM", "password": password} if password is not None else {"auth": "NONE"}
    s = platform.settings
    connection = hive.connect(s.gateway_host, port=s.gateway_port, username=user, **how, **more)
    cursor = connection.cursor()
    cursor.execute("SELECT current_user()")
    return cursor.fetchall()[0][0]


def test_nobody_comes_in_without_the_right_password(running: Platform) -> None:
    own, before = {role: password(running.settings, role) for role in Role}, written(running)
    tries = [("reader", None), ("writer", "x"), ("writer", own[Role.READER]), ("root", own[Role.WRITER])]
    for user, given in tries:
        with pytest.raises(TTransportException, match="Error validating the login"):
            login(running, user, given)
    told = [(line["user"], line["refused"]) for line in written(running)[len(before) :]]
    assert told == [(user, "login") for user, _ in tries]
    assert login(running, "reader", own[Role.READER]) == "reader"


@pytest.mark.parametrize(
    "setting",
    [
        "set:system:hive.server2.custom.authentication.class",
        "set:hiveconf:spark.sql.catalog.mine",
        "set:hivevar:a",
        "hive.server2.proxy.user",
    ],
)
def test_a_session_brings_no_settings_of_its_own(running: Platform, setting: str) -> None:
    for role in Role:
        with pytest.raises(Error, match="daybreak connect sql"):
            login(running, role, password(running.settings, role), configuration={setting: "writer"})


def test_an_answer_to_the_reader_has_an_end(running: Platform) -> None:
    most = running.settings.gateway_reader_rows
    with gateway.opened() as own:
        assert len(own.execute(f"SELECT id FROM range({most})").rows) == most
        with pytest.raises(PermanentFailure, match=f"an answer of more than {most} rows is refused"):
            own.execute(f"SELECT id FROM range({most + 1})")
    with gateway.opened(Role.WRITER) as own:
        assert len(own.execute(f"SELECT id FROM range({most + 1})").rows) == most + 1
