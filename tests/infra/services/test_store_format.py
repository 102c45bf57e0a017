"""A home keeps the store that made its lake: no other one begins an empty lake beside it."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from infra import owner_only
from infra.failures import PermanentFailure
from infra.services import place, store, versitygw
from infra.services.program import Name
from infra.services.roster import roster
from infra.settings import Settings, load

FORMATS = {"versitygw": "store/data/lake", "minio": "minio/.minio.sys"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    return tmp_path


def test_a_new_home_gets_versitygw(home: Path) -> None:
    assert load().store == "versitygw"
    (home / "store" / "data" / ".vgwlocks").mkdir(parents=True)
    (home / "minio").mkdir()
    assert load().store == "versitygw"


@pytest.mark.parametrize("made_by", FORMATS)
def test_the_store_that_made_the_lake_runs_again(home: Path, made_by: str) -> None:
    (home / FORMATS[made_by]).mkdir(parents=True)
    assert f"{home}/bin/{made_by}" in roster(load())[Name.STORE].command


@pytest.mark.parametrize(("made_by", "asked"), [("versitygw", "minio"), ("minio", "versitygw")])
def test_another_store_is_refused_before_anything_stops(
    home: Path, monkeypatch: pytest.MonkeyPatch, made_by: str, asked: str
) -> None:
    (home / FORMATS[made_by]).mkdir(parents=True)
    monkeypatch.setenv("DAYBREAK_STORE", asked)
    with pytest.raises(PermanentFailure, match=f"was made by {made_by}, and {asked} would begin an empty one"):
        place.prepare(load())
    assert not (home / "run").exists()
    monkeypatch.setenv("DAYBREAK_S3_ENDPOINT", "http://127.0.0.1:1")
    store.refuse_other_format(load())


def test_an_unknown_store_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_STORE", "minoi")
    with pytest.raises(PermanentFailure, match="DAYBREAK_STORE is wrong"):
        load()


def test_a_file_system_without_attributes_is_refused() -> None:
    with pytest.raises(PermanentFailure, match=r"keeps no extended attributes.* set DAYBREAK_STORE=minio"):
        versitygw.refuse_without_attributes(Path("/proc/self/comm"))


def test_only_the_owner_reads_keys_and_lake(tmp_path: Path) -> None:
    s = Settings(home=tmp_path, gateway_s3_access_key="its-key", gateway_s3_secret_key=SecretStr("its-secret"))
    # As each process of ours does first.
    before = os.umask(owner_only.UMASK)
    try:
        versitygw.prepare(s)
    finally:
        os.umask(before)
    keys = tmp_path / "store" / "keys" / "users.json"
    assert "its-secret" in keys.read_text()
    assert [one.stat().st_mode & 0o077 for one in (keys, keys.parent, tmp_path / "store")] == [0, 0, 0]
    assert "its-secret" not in str(versitygw.program(s, lambda: None))
