"""The gateway as a program: what it tells, with which key of the store it works, and what a policy lets it write."""

import json
import time

import pytest
from pydantic import SecretStr

from infra.commands import connect
from infra.failures import PermanentFailure
from infra.lake.rights import statements
from infra.services import gateway
from infra.settings import Settings
from infra.spark_conf import write_defaults
from infra.sql import users
from infra.store_users import User


def test_a_statement_ended_lately_by_this_process_is_a_notice(s: Settings) -> None:
    assert gateway.notices(s, 7) == ()
    (s.home / "run").mkdir()
    ended = [{"at": time.time() - gateway.LATELY_SECONDS - 1, "what": "old"}, {"at": time.time(), "what": "new"}]
    (s.home / "run" / "gateway.json").write_text(json.dumps({"pid": 7, "ended": ended}))
    assert gateway.notices(s, 7) == ("new",)
    assert gateway.notices(s, 8) == ()


def test_its_key_of_the_store_is_on_no_command_line(s: Settings) -> None:
    key, secret = s.gateway_s3_access_key, s.gateway_s3_secret_key.get_secret_value()
    assert len({key, s.s3_access_key, ""}) == 3
    written = write_defaults(s, User.GATEWAY) / "spark-defaults.conf"
    assert written.stat().st_mode & 0o777 == 0o600
    assert f"spark.hadoop.fs.s3a.secret.key {secret}" in written.read_text()
    assert s.s3_secret_key.get_secret_value() not in written.read_text()
    assert secret not in str(gateway.program(s).command) + str(gateway.configuration(s))


def test_it_knows_its_users_by_hashes_alone(s: Settings) -> None:
    file = users.write(s)
    lines = dict(line.split(":", 1) for line in file.read_text().splitlines())
    assert file.stat().st_mode & 0o777 == 0o600
    passwords = {role: users.password(s, role) for role in users.Role}
    assert lines.keys() == passwords.keys()
    assert len({*passwords.values(), ""}) == 3
    told = f"{gateway.program(s)} {gateway.guarded(s)} {gateway.jvm(s)} {lines}"
    assert not [one for one in passwords.values() if one in told]


def test_it_does_not_start_without_a_password_for_everybody(s: Settings) -> None:
    with pytest.raises(PermanentFailure, match="DAYBREAK_GATEWAY_READER_PASSWORD"):
        users.write(s.model_copy(update={"gateway_reader_password": SecretStr("")}))


def test_no_setting_takes_its_check_away(s: Settings) -> None:
    own = {"spark.sql.extensions": "a.B", "spark.hadoop.hive.server2.authentication": "NONE"}
    found = gateway.guarded(s.model_copy(update={"gateway_conf": own}))
    assert found["spark.sql.extensions"] == "daybreak.sql.Rights,a.B"
    assert gateway.guarded(s)["spark.sql.extensions"].startswith("daybreak.sql.Rights,io.delta.")
    assert found["spark.hadoop.hive.server2.authentication"] == "CUSTOM"
    assert (found["spark.sql.runSQLOnFiles"], found["spark.sql.variable.substitute"]) == ("false", "false")
    assert "-Dhive.server2.custom.authentication.class=daybreak.sql.Passwords" in gateway.jvm(s).split()


def test_the_lines_to_connect_show_a_password_only_when_asked(s: Settings) -> None:
    for role in users.Role:
        own, file = users.password(s, role), str(s.home / "gateway" / f"{role}.password")
        assert own not in connect.lines(s, role)
        assert file in connect.lines(s, role)
        assert own in connect.lines(s, role, show=True)


def test_its_key_may_write_gold_only(s: Settings) -> None:
    writes = {
        place for one in statements(s)[User.GATEWAY] if "s3:PutObject" in one["Action"] for place in one["Resource"]
    }
    assert writes == {"arn:aws:s3:::lake/gold/", "arn:aws:s3:::lake/gold/*"}
