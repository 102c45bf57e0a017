"""Secrets: made once, readable by their owner only, and never for a service that is not ours."""

import stat
from itertools import cycle
from pathlib import Path

import pytest

from infra import secrets
from infra.settings import Settings, load


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    return tmp_path


def test_first_start_makes_every_secret_and_settings_read_them(home: Path) -> None:
    assert secrets.ensure(load())
    s = load()
    assert len(s.airflow_jwt_secret.get_secret_value()) >= 64
    assert all(
        secret.get_secret_value()
        for secret in (
            s.s3_secret_key,
            s.postgres_password,
            s.cache_password,
            s.airflow_password,
            s.airflow_fernet_key,
            s.supervisor_password,
        )
    )
    assert s.s3_access_key
    assert len(s.kafka_cluster_id) == 22


def test_no_secret_looks_like_an_option(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = cycle(["-first", "second"])
    monkeypatch.setattr("infra.secrets.secrets.token_urlsafe", lambda size: next(drawn))
    secrets.ensure(load())
    assert load().kafka_cluster_id == "second"


def test_the_file_is_its_owners_only(home: Path) -> None:
    secrets.ensure(load())
    assert stat.S_IMODE((home / "secrets.env").stat().st_mode) == 0o600


def test_a_second_start_changes_nothing(home: Path) -> None:
    secrets.ensure(load())
    before = (home / "secrets.env").read_text()
    assert not secrets.ensure(load())
    assert (home / "secrets.env").read_text() == before


def test_a_missing_secret_is_added_and_the_others_stay(home: Path) -> None:
    (home / "secrets.env").write_text("DAYBREAK_POSTGRES_PASSWORD=mine\n")
    assert secrets.ensure(load())
    assert load().postgres_password.get_secret_value() == "mine"
    assert load().s3_access_key


def test_your_own_store_gets_no_generated_keys(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_S3_ENDPOINT", "http://127.0.0.1:1")
    secrets.ensure(load())
    names = [line.split("=")[0] for line in (home / "secrets.env").read_text().splitlines()]
    assert names
    assert not [name for name in names if "S3" in name]


def test_no_secret_shows_in_the_settings_repr(home: Path) -> None:
    secrets.ensure(load())
    s: Settings = load()
    assert s.postgres_password.get_secret_value() not in repr(s)
