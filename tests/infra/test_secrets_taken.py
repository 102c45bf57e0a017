"""After a rotation: who held an old secret takes the new one, without a service that runs."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from infra import rotation, secrets
from infra.commands import postgres_lines, s3_lines
from infra.commands import secrets as command
from infra.kafka import client, login
from infra.kafka_users import User
from infra.postgres_roles import Role as PostgresRole
from infra.settings import load, settings
from infra.sql import users
from infra.sql.users import Role
from infra.store_users import User as StoreUser


class Told:
    """What a client of librdkafka is told."""

    def set_sasl_credentials(self, username: str, password: str) -> None:
        self.said = (username, password)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With secrets that this process has read."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    # Nothing listens there.
    monkeypatch.setenv("DAYBREAK_PORT_BASE", "1100")
    secrets.ensure(load())
    settings.cache_clear()
    settings()
    return tmp_path


def rotate() -> str:
    done = CliRunner().invoke(command.commands, ["secrets", "rotate"], catch_exceptions=False)
    settings.cache_clear()
    assert done.exit_code == 0, done.output
    return done.output


def test_a_sender_that_is_refused_takes_the_password_of_now(home: Path) -> None:
    told = Told()
    s = load()
    rotation.put_in_force(s, rotation.begin(s, []))
    client.log_in_afresh(told)  # type: ignore[arg-type]
    now = login.password(load(), login.acting())
    assert told.said == (login.acting(), now)
    assert now != login.password(s, login.acting())


def test_what_people_were_given_is_given_again(home: Path) -> None:
    s = load()
    login.files(s, User.READER)
    users.password_file(s, Role.READER)
    s3_lines.files(s, StoreUser.READER)
    postgres_lines.password_file(s, PostgresRole.READER)
    rotate()
    now = load()
    assert users.given_file(now, Role.READER).read_text() == users.password(now, Role.READER)
    assert not users.given_file(now, Role.WRITER).exists()
    for file in (home / "s3-clients").iterdir():
        assert now.reader_s3_secret_key.get_secret_value() in file.read_text()
    (given,) = (home / "postgres-clients").iterdir()
    assert given.read_text().endswith(f":{now.postgres_reader_password.get_secret_value()}\n")
    for file in (home / "kafka-clients").iterdir():
        assert login.password(now, User.READER) in file.read_text()
        assert file.stem == "reader"


def test_with_nothing_running_it_ends_and_says_what_is_next(home: Path) -> None:
    before = secrets.written(home / "secrets.env")
    said = rotate()
    assert "daybreak up gives each program its new secret" in said
    assert "Airflow does not run: its old Fernet key is kept" in said
    after = secrets.written(home / "secrets.env")
    assert [name for name in before if before[name] == after[name]] == [
        name for name in before if secrets.is_name(name)
    ]
    assert not [value for value in (*before.values(), *after.values()) if value in said]
    assert rotation.begun(home) is None
