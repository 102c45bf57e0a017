"""A command that needs the queue broker says how to turn it on."""

from pathlib import Path

import pytest

from infra.commands.queue_on import queue_on
from infra.failures import PermanentFailure
from infra.settings import settings


@pytest.mark.parametrize("options", ["", "webhooks"])
def test_a_lab_that_needs_the_option_says_so(options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_OPTIONS", options)
    settings.cache_clear()
    with pytest.raises(PermanentFailure, match="the queue broker is off; turn it on: daybreak up --with queue"):
        queue_on()
    monkeypatch.setenv("DAYBREAK_OPTIONS", "queue")
    settings.cache_clear()
    assert queue_on().has("queue")
    settings.cache_clear()
