"""The gateway as a program: what it tells, with which key of the store it works, and what a policy lets it write."""

import json
import time
from pathlib import Path

import pytest

from infra import secrets
from infra.services import gateway, store
from infra.settings import Settings, load
from infra.spark_conf import spark_defaults, write_defaults


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    secrets.ensure(load())
    return load()


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
    written = write_defaults(s.as_gateway(), s.home / "gateway" / "conf") / "spark-defaults.conf"
    assert written.stat().st_mode & 0o777 == 0o600
    assert f"spark.hadoop.fs.s3a.secret.key {secret}" in written.read_text()
    assert s.s3_secret_key.get_secret_value() not in written.read_text()
    assert spark_defaults(s)["spark.hadoop.fs.s3a.access.key"] == s.s3_access_key
    assert secret not in str(gateway.program(s).command) + str(gateway.configuration(s))


def test_without_a_key_of_its_own_it_uses_the_lakes(s: Settings) -> None:
    yours = s.model_copy(update={"gateway_s3_access_key": ""})
    assert yours.as_gateway().s3_access_key == s.s3_access_key


def test_the_policy_writes_below_gold_only() -> None:
    allowed = store.gold_only("lake")
    writing = [
        one["Resource"] for one in allowed if any(name.startswith(("s3:Put", "s3:Delete")) for name in one["Action"])
    ]
    assert writing == [["arn:aws:s3:::lake/gold/*"]]
