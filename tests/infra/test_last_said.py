"""Status files after a power loss: there by their names, without their bytes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from infra import failing
from infra.services import health, said
from infra.settings import Settings, load

LEFT = ("", "\x00" * 40, '{"pid": 7, "at": 1.0', "null")
"""What may be in such a file: nothing, zeros, the first bytes; and what is no object."""


def _of_the_stream(s: Settings) -> object:
    return health.stream(s, 7), health.held(s), health.notices(s, 7)


def _of_a_follower(s: Settings) -> object:
    return said.waits_for(s.home / "run" / "stream.json", 7, "follower-cache", "its start", 60)


def _of_its_failures(s: Settings) -> object:
    return failing.failing(s)


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("ask", [_of_the_stream, _of_a_follower, _of_its_failures])
def test_an_emptied_status_file_says_nothing(
    ask: Callable[[Settings], object], left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    without = ask(load())
    (tmp_path / "run").mkdir()
    for name in ("stream.json", "stream-failures.json"):
        (tmp_path / "run" / name).write_text(left)
    assert ask(load()) == without
