"""While there is a try, what would not reach it is refused with a sentence."""

from pathlib import Path

import pytest

from infra import secrets
from infra.commands import platform
from infra.commands.secrets import rotate
from infra.failures import PermanentFailure
from infra.options import OPTIONS_FILE
from infra.services import fork
from infra.settings import load, settings


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    secrets.ensure(load())
    fork.begin(load(), set())
    return tmp_path


def test_secrets_are_not_rotated_while_there_is_a_try(home: Path) -> None:
    before = (home / "secrets.env").read_bytes()
    with pytest.raises(PermanentFailure, match="other secrets would not reach the try: a try that"):
        rotate()
    assert (home / "secrets.env").read_bytes() == before


@pytest.mark.parametrize("given", [{"with_": ["shop-db-views"]}, {"without": ["shop-db-views"]}])
def test_options_of_the_stream_stay_while_there_is_a_try(home: Path, given: dict[str, list[str]]) -> None:
    with pytest.raises(PermanentFailure, match="an option of the stream would not reach the try"):
        platform.up(**given)
    assert not (home / OPTIONS_FILE).exists()
