"""A home has the jars of the installation that runs it, whichever had it before."""

from pathlib import Path

import pytest

from infra.services import place
from infra.settings import settings


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What set-up has filled."""
    for name in place.INSTALLED:
        (tmp_path / "share" / name).mkdir(parents=True)
    monkeypatch.setattr(place, "STATE", tmp_path / "share")
    return tmp_path / "share"


def test_after_an_upgrade_a_home_has_the_new_jars(tmp_path: Path, state: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "former").mkdir()
    (home / "jars").symlink_to(tmp_path / "former")
    (home / "bin").symlink_to(tmp_path / "a clone that is gone" / "bin")
    for _ in range(2):
        place.link_installed(settings().model_copy(update={"home": home}))
        assert {name: (home / name).readlink() for name in place.INSTALLED} == {
            name: state / name for name in place.INSTALLED
        }


def test_the_installations_own_home_needs_no_link(state: Path) -> None:
    place.link_installed(settings().model_copy(update={"home": state}))
    assert not [name for name in place.INSTALLED if (state / name).is_symlink()]


def test_a_link_that_leads_to_the_same_files_stays(tmp_path: Path, state: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "way").symlink_to(state)
    (home / "jars").symlink_to(tmp_path / "way" / "jars")
    place.link_installed(settings().model_copy(update={"home": home}))
    assert (home / "jars").readlink() == tmp_path / "way" / "jars"
