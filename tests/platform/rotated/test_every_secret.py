"""Rotations of everything that there is, killed at random moments under load; each goes on, and the last ones come to their end.

DAYBREAK_SOAK_SEED (printed) gives the same moments again, DAYBREAK_SOAK_KILLS how many.
"""

import os
import signal
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from accounting import where
from every_door import NO_DOOR, TRIED, asked, others, token
from old_secrets import afresh, core, enter, taken
from running import Platform
from secret_search import generated, leaks, open_to_others
from traffic import load

from infra.services.roster import roster

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
KILLS = int(os.environ.get("DAYBREAK_SOAK_KILLS", "10"))
LONGEST_LIFE = 90
"""Seconds until a rotation is killed: some end before."""
CALM_SECONDS = 900


@dataclass(frozen=True)
class Rotated:
    """The platform with its new secrets, and all those that it had before."""

    platform: Platform
    old: list[dict[str, str]]


@pytest.fixture(scope="module")
def rotated(platform: Platform) -> Rotated:
    """Each of `old` was in force once."""
    chance, home, s = Random(SEED), platform.settings.home, platform.settings
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    asked(s, token(s), "POST", json={"key": TRIED, "value": TRIED}).raise_for_status()
    old = [generated(home)]
    with ExitStack() as stack:
        enter(platform, stack.enter_context(pytest.MonkeyPatch.context()))
        stack.enter_context(load(platform, SEED))
        for number in range(KILLS):
            with platform.begin("daybreak", "secrets", "rotate") as rotation:
                time.sleep(chance.uniform(0, LONGEST_LIFE))
                ended = rotation.poll()
                if ended is None:
                    os.killpg(rotation.pid, signal.SIGKILL)
                print(
                    f"{datetime.now(UTC):%H:%M:%S} rotation {number + 1} of {KILLS}: {'killed' if ended is None else ended}"
                )
                assert not ended, rotation.communicate()
            if (now := generated(home)) != old[-1]:
                old.append(now)
        print(platform.run("daybreak", "secrets", "rotate").stdout)
        platform.run("daybreak", "secrets", "rotate")
        return Rotated(afresh(platform), old)


def test_every_generated_secret_is_tried(rotated: Rotated) -> None:
    known = generated(rotated.platform.settings.home)
    assert known.keys() == core(known).keys() | others(known).keys() | NO_DOOR


def test_every_old_secret_is_refused_and_every_new_one_taken(rotated: Rotated) -> None:
    s, new = rotated.platform.settings, generated(rotated.platform.settings.home)
    tries = core(new) | others(new)
    assert taken(s, tries, new) == tries.keys()
    for old in rotated.old[-3:]:
        assert {name for name in old if old[name] == new[name]} == set()
        assert taken(s, tries, old) == set()


def test_every_program_works(rotated: Rotated) -> None:
    for name in roster(rotated.platform.settings):
        rotated.platform.wait_healthy(name, seconds=CALM_SECONDS)


def test_every_record_is_there_once(rotated: Rotated) -> None:
    rotated.platform.wait_drained(CALM_SECONDS)
    rows: list[dict[str, Any]] = rotated.platform.rows("bronze/events", "topic", "partition", "offset")
    there = Counter(where(row) for row in rows)
    sent = {(entry.topic, entry.partition, entry.offset) for entry in rotated.platform.sent()}
    assert len(sent) > 1_000
    assert sent - there.keys() == set()
    assert {at for at, times in there.items() if times > 1} == set()


def test_nothing_old_is_left_and_nothing_new_astray(rotated: Rotated, tmp_path: Path) -> None:
    for number, secrets in enumerate((*rotated.old[-3:], None)):
        scratch = tmp_path / str(number)
        scratch.mkdir()
        assert leaks(rotated.platform, scratch, secrets) == []
    assert open_to_others(rotated.platform.settings.home) == []
