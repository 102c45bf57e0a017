"""Options: which there are, what they need, and that they are kept in the home."""

from pathlib import Path

import pytest

from infra import options
from infra.failures import PermanentFailure
from infra.services import rebuild
from infra.settings import load
from infra.shop.options import SHOP_DB, SHOP_DB_VIEWS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    return tmp_path


def test_nothing_is_on_at_first(home: Path) -> None:
    assert [name for name in options.OPTIONS if load().has(name)] == []


def test_an_option_that_is_kept_is_on_until_it_is_turned_off(home: Path) -> None:
    options.keep(home, load().options, [SHOP_DB], ())
    assert load().has(SHOP_DB)
    options.keep(home, load().options, [SHOP_DB_VIEWS], ())
    assert [name for name in options.OPTIONS if load().has(name)] == [SHOP_DB, SHOP_DB_VIEWS]
    options.keep(home, load().options, (), [SHOP_DB, SHOP_DB_VIEWS])
    assert not load().has(SHOP_DB)


@pytest.mark.parametrize(
    ("more", "fewer", "said"),
    [
        (["shop"], [], "there is no option shop; there is shop-db"),
        ([], ["shop"], "there is no option shop"),
        (["shop-db-views"], [], "shop-db-views needs shop-db"),
        (["shop-db", "shop-db-views"], ["shop-db"], "shop-db-views needs shop-db"),
    ],
)
def test_a_wrong_choice_is_refused_and_nothing_kept(home: Path, more: list[str], fewer: list[str], said: str) -> None:
    with pytest.raises(PermanentFailure, match=said):
        options.keep(home, load().options, more, fewer)
    assert not (home / options.OPTIONS_FILE).exists()


def test_the_environment_decides_and_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shop-db")
    with pytest.raises(PermanentFailure, match="DAYBREAK_OPTIONS=shop-db in the environment decides"):
        options.keep(home, "", [], ["shop-db"])


def test_an_unknown_option_in_the_environment_is_a_clear_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_OPTIONS", "shopdb")
    with pytest.raises(PermanentFailure, match=r"DAYBREAK_OPTIONS is wrong: .*there is no option shopdb"):
        load()


@pytest.mark.parametrize(
    ("before", "after", "needed"),
    [
        ("", "shop-db", False),
        ("", "shop-db,shop-db-views", True),
        ("shop-db", "shop-db,shop-db-views", True),
        ("shop-db,shop-db-views", "shop-db", True),
        ("shop-db", "", True),
        ("shop-db", "shop-db", False),
    ],
)
def test_only_a_stream_with_state_is_rebuilt_for_other_options(
    home: Path, before: str, after: str, needed: bool
) -> None:
    assert not rebuild.is_needed(home, before, after)
    (home / "run").mkdir()
    (home / "run" / "stream.json").touch()
    assert rebuild.is_needed(home, before, after) == needed


def test_a_setting_that_is_not_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_SPARK_CONF", "spark.executor.memory=2g")
    with pytest.raises(PermanentFailure, match="setting DAYBREAK_SPARK_CONF is wrong: it is not JSON"):
        load()
