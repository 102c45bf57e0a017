"""A rotation of secrets as files: new ones beside the old, all in force at once, and an interrupted one goes on."""

import json
import shutil
import stat
from pathlib import Path

import pytest

from infra import rotation, secrets
from infra.services import airflow
from infra.settings import Settings, load
from infra.spark_conf import write_defaults
from infra.store_users import User
from infra.tls.files import files
from infra.tls.prepare import prepare

MINE = "DAYBREAK_SMTP_PASSWORD=mine, with a = in it"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With secrets, and a line of somebody's own that does not end."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    secrets.ensure(load())
    with (tmp_path / "secrets.env").open("a") as file:
        file.write(MINE)
    return tmp_path


def values(home: Path) -> dict[str, str]:
    return secrets.written(home / "secrets.env")


def test_every_secret_is_another_one_and_all_else_stays(home: Path) -> None:
    before, s = values(home), load()
    new = rotation.begin(s, ["kafka"])
    assert values(home) == before
    assert not rotation.is_in_force(s, new)
    rotation.put_in_force(s, new)
    after = values(home)
    same = {name for name, value in after.items() if value == before[name]}
    assert same == {name for name in before if secrets.is_name(name)} | {"DAYBREAK_SMTP_PASSWORD"}
    assert len(after) == len(before) > 25
    assert len(set(after.values())) == len(after)
    assert rotation.is_in_force(s, new)
    assert secrets.written(rotation.before_file(home)) == before
    rotation.end(s)
    assert [file.name for file in home.iterdir() if file.is_file() and not file.name.endswith(".lock")] == [
        "secrets.env"
    ]


@pytest.mark.parametrize("authority", [False, True])
def test_our_certificate_is_another_one_and_yours_stays(
    home: Path, authority: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_TLS", "on")
    prepare(load())
    own = files(load())
    served, ours = (own.certificate, own.key, own.key_and_certificate, own.keystore), (own.ca, own.ca_key)
    before = {file: file.read_bytes() for file in (*served, *ours)}
    new = rotation.begin(load(), [], authority)
    # One that is interrupted goes on with what it was asked for.
    assert rotation.begin(load(), []) == new
    assert {file: file.read_bytes() for file in before} == before
    rotation.put_in_force(load(), new)
    prepare(load())
    assert [file for file in before if file.read_bytes() == before[file]] == ([] if authority else [*ours])
    mine = {name: home / name for name in ("CERTIFICATE", "KEY", "CA")}
    for name, file in mine.items():
        shutil.copy(own.certificate if name == "CERTIFICATE" else own.key if name == "KEY" else own.ca, file)
        monkeypatch.setenv(f"DAYBREAK_TLS_{name}", str(file))
    rotation.end(load())
    assert rotation.untouched(load())["DAYBREAK_TLS_KEY"].startswith("it is yours")
    rotation.put_in_force(load(), rotation.begin(load(), []))
    assert own.key.read_bytes() == mine["KEY"].read_bytes()


def test_an_interrupted_one_goes_on_with_its_secrets_and_programs(home: Path) -> None:
    first = rotation.begin(load(), ["kafka", "stream"])
    again = rotation.begin(load(), ["store"])
    assert again.secrets == first.secrets
    assert again.programs == ("kafka", "stream", "store")
    assert rotation.begun(home) == again


def test_what_is_kept_beside_is_its_owners_only(home: Path) -> None:
    s = load()
    rotation.put_in_force(s, rotation.begin(s, []))
    for file in (rotation.next_file(home), rotation.before_file(home), home / "secrets.env"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_no_drivers_configuration_keeps_an_old_key(home: Path) -> None:
    # Of whatever user a command was last run as: it may be months before it writes its own again.
    old = {user: write_defaults(load(), user) / "spark-defaults.conf" for user in User}
    assert all(file.exists() for file in old.values())
    rotation.put_in_force(load(), rotation.begin(load(), []))
    assert [user for user, file in old.items() if file.exists()] == []


def test_what_the_old_fernet_key_encrypted_is_read_until_the_end(home: Path) -> None:
    old = load().airflow_fernet_key.get_secret_value()
    new = rotation.begin(load(), [])
    rotation.put_in_force(load(), new)
    assert load().airflow_fernet_key.get_secret_value() == f"{new.secrets[rotation.FERNET]},{old}"
    # It encrypts with the new one alone.
    assert airflow.environment(load())["AIRFLOW__CORE__FERNET_KEY"] == new.secrets[rotation.FERNET]
    rotation.forget(load(), rotation.FERNET, new.secrets[rotation.FERNET])
    assert rotation.is_in_force(load(), new)
    assert old not in (home / "secrets.env").read_text()


def test_it_says_which_secrets_it_does_not_touch(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_S3_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("DAYBREAK_QUEUE_PASSWORD", "of the environment")
    monkeypatch.setenv("DAYBREAK_SPARK_MASTER", "spark://127.0.0.1:7077")
    said, new = rotation.untouched(load()), rotation.begin(load(), [])
    assert {
        "DAYBREAK_S3_SECRET_KEY",
        "DAYBREAK_SMTP_PASSWORD",
        "DAYBREAK_QUEUE_PASSWORD",
        rotation.SPARK,
    } <= said.keys()
    assert "environment" in said["DAYBREAK_QUEUE_PASSWORD"]
    assert new.secrets.keys() & said.keys() == set()
    assert {*new.secrets, *said} >= {name for name in values(home) if not secrets.is_name(name)}


def test_no_secret_shows_in_what_it_says_of_itself(home: Path) -> None:
    new = rotation.begin(load(), [])
    assert not [value for value in new.secrets.values() if value in repr(new)]
    assert json.loads(rotation.next_file(home).read_text())["secrets"] == new.secrets


def test_every_generated_secret_is_a_setting_that_shows_nothing() -> None:
    fields = Settings.model_fields
    shown = [name for name in secrets.anew(Settings()) if "SecretStr" not in str(fields[name[9:].lower()].annotation)]
    assert shown == []
