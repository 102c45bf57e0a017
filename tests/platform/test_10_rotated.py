"""All secrets are changed while records come, by a rotation that is killed four times and goes on each time."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from accounting import unaccounted
from old_secrets import afresh, core, enter, killed_at, killed_when, taken
from running import Platform
from secret_search import generated, leaks
from traffic import load

from infra import rotation
from infra.services.ports import owner

pytestmark = pytest.mark.platform

PROGRAMS = ("kafka", "store", "postgres", "stream")


@dataclass(frozen=True)
class Rotated:
    """The platform with its new secrets, those that it had before, and what the last rotation said."""

    platform: Platform
    old: dict[str, str]
    said: str


@pytest.fixture(scope="module")
def rotated(platform: Platform) -> Rotated:
    """Killed before all, when all is down, when the new ones are in force, and while the programs start."""
    # The tests of the curve have stopped it.
    platform.run("daybreak", "up", "--only", "stream")
    s, old = platform.settings, generated(platform.settings.home)
    with ExitStack() as stack:
        enter(platform, stack.enter_context(pytest.MonkeyPatch.context()))
        stack.enter_context(load(platform, 41))
        for place in ("secrets.made", "secrets.down", "secrets.in-force"):
            killed_at(platform, place)
        killed_when(platform, "the first programs start", lambda: owner(s.kafka_port))
        said = platform.run("daybreak", "secrets", "rotate").stdout
        return Rotated(afresh(platform), old, said)


def test_a_rotation_that_was_killed_says_how_it_goes_on(rotated: Rotated) -> None:
    assert "1 of 5: " in rotated.said
    assert "still" in rotated.said.splitlines()[0]
    # The new ones were in force already.
    assert "2 of 5" not in rotated.said
    assert "5 of 5" in rotated.said
    assert rotation.begun(rotated.platform.settings.home) is None


def test_every_old_secret_is_refused_and_every_new_one_taken(rotated: Rotated) -> None:
    s, new = rotated.platform.settings, generated(rotated.platform.settings.home)
    assert set(rotated.old.values()) & set(new.values()) == set()
    assert rotated.old.keys() == new.keys()
    tries = core(new)
    assert len(tries) > 12
    assert taken(s, tries, rotated.old) == set()
    assert taken(s, tries, new) == tries.keys()


def test_every_record_that_came_meanwhile_is_there_once(rotated: Rotated) -> None:
    for name in PROGRAMS:
        rotated.platform.wait_healthy(name)
    rotated.platform.wait_drained()
    assert unaccounted(rotated.platform) == []


def test_no_old_secret_is_left_anywhere(rotated: Rotated, tmp_path: Path) -> None:
    # Airflow's key is kept until Airflow has run, which it does not here.
    old = {name: value for name, value in rotated.old.items() if name != rotation.FERNET}
    assert leaks(rotated.platform, tmp_path, old) == []
