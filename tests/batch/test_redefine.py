"""After a rebuild the stream is awaited: its process, its views by the new definitions, and the rest of the log."""

from types import SimpleNamespace
from typing import Any

import pytest

from batch.commands import redefine
from infra.services.program import Name, Program
from infra.settings import settings
from streaming.monitor.catch_up import Behind


@pytest.mark.parametrize(
    ("pid", "wants", "unread", "says"),
    [
        (0, None, 0, "the stream waits for its process to start"),
        (7, "its queries to start", 0, "the stream waits for its queries to start"),
        (7, None, 30, "30 records to read"),
        (7, None, 0, ""),
    ],
)
def test_a_rebuilt_stream_is_awaited_until_it_has_read_the_log(
    monkeypatch: pytest.MonkeyPatch, pid: int, wants: str | None, unread: int, says: str
) -> None:
    monkeypatch.setattr(redefine, "behind", lambda _: Behind(unread))
    supervisor: Any = SimpleNamespace(processes=lambda: {Name.STREAM: SimpleNamespace(pid=pid)})
    program = Program(Name.STREAM, ("true",), waits_for=lambda _: wants)
    assert redefine.left(settings(), supervisor, program) == says
