"""The place of change capture is told below the stream's lag, and warns before it is lost."""

import pytest

from infra.settings import Settings
from infra.shop.db.slot import Slot
from streaming.shop import slot_lag

ON = Settings(options="shop-db")


@pytest.mark.parametrize(
    ("status", "left", "said"),
    [
        ("reserved", 1 << 30, []),
        ("extended", 1 << 20, ["is about to be lost"]),
        ("lost", None, ["is lost: Postgres removed changes before they were captured"]),
    ],
)
def test_a_slot_is_told_with_what_threatens_it(
    monkeypatch: pytest.MonkeyPatch, status: str, left: int | None, said: list[str]
) -> None:
    place = Slot("own", True, status, 10 << 20, left)
    monkeypatch.setattr(slot_lag, "slot", lambda s: place)
    (found,) = slot_lag.lag(ON)
    assert found.as_json["slot"]["retained"] == 10 << 20
    assert found.lines[0].startswith("slot own: 10.0 MB of the database's log are not captured yet")
    assert len(found.lines) == 1 + len(said)
    assert all(words in line for words, line in zip(said, found.lines[1:], strict=True))


def test_without_the_option_or_its_connector_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_lag, "slot", lambda s: None)
    assert slot_lag.lag(ON) == ()
    monkeypatch.setattr(slot_lag, "slot", lambda s: pytest.fail("it asks a database that is not there"))
    assert slot_lag.lag(Settings()) == ()
