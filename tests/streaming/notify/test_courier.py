"""Tried again, given up or refused: what becomes of a delivery, and of the position behind it."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from streaming.notify import courier as courier_module
from streaming.notify import outcome as outcome_module
from streaming.notify.courier import Courier
from streaming.notify.letters import Letter
from streaming.notify.outcome import Became, Delivery, Outcome
from streaming.notify.state import Progress
from streaming.notify.targets import Target

TARGET = Target("partner", "t1", ("alerts",), url="http://127.0.0.1:1/")
DELIVERY = Delivery("abc-0-17", b"{}", "alerts/0@17")
LANE = "alerts/0"
FAILED, REFUSED = Outcome(Became.FAILED, "it answered 503"), Outcome(Became.REFUSED, "it answered 422")
DELIVERED = Outcome(Became.DELIVERED)


class Kept:
    """Stands for the log: keeps what is saved, and has room for so many letters."""

    def __init__(self, room: int = 9) -> None:
        self.progress, self.saved, self.letters, self._room = Progress(), list[bytes](), list[Letter](), room

    def save(self, written: bytes, letters: Sequence[Letter] = ()) -> None:
        self.saved.append(written)
        self.letters += letters

    def room(self, target: Target) -> bool:
        return len(self.letters) < self._room

    def add(self, letter: Letter) -> None: ...


class Story:
    """Deliveries to a target that answers as told; every pause is over at once, and moves the clock."""

    def __init__(self, answers: Sequence[Outcome], monkeypatch: pytest.MonkeyPatch, room: int = 9) -> None:
        self.kept, self.now, self.moves, self.tried = Kept(room), 1_000_000.0, 0, list[float]()
        self._answers = list(answers)
        self.courier = Courier(TARGET, self.kept, self.kept, ThreadPoolExecutor(1), 3600.0)  # type: ignore[arg-type]
        monkeypatch.setattr(courier_module.time, "time", lambda: self.now)
        # What a pause has by chance made fifteen of them shorter than is asked for below, once in 24 runs.
        monkeypatch.setattr(outcome_module.random, "uniform", lambda least, most: most)
        monkeypatch.setattr(self.courier, "wait", self._wait)

    async def _wait(self, seconds: float) -> None:
        self.now += seconds

    async def _attempt(self, delivery: Delivery) -> Outcome:
        assert delivery == DELIVERY
        self.tried.append(self.now)
        found = self._answers.pop(0) if self._answers else FAILED
        if not self._answers and found is FAILED and len(self.tried) > 50:
            self.courier.over.set()
        return found

    def _move(self) -> None:
        self.moves += 1

    def deliver(self, at: float = 0.0) -> bool:
        async def once() -> bool:
            return await self.courier.deliver(LANE, DELIVERY, at, self._attempt, self._move)

        return asyncio.run(once())


def test_what_fails_is_tried_until_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([FAILED] * 5 + [DELIVERED], monkeypatch)
    assert own.deliver()
    pauses = [after - before for before, after in zip(own.tried, own.tried[1:], strict=False)]
    assert pauses == sorted(pauses)
    assert (len(own.tried), own.moves, own.kept.letters, own.kept.progress.failing) == (6, 1, [], {})
    # That it fails is saved once, not each time.
    assert len(own.kept.saved) == 1


def test_what_is_refused_is_a_dead_letter_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([REFUSED], monkeypatch)
    assert own.deliver()
    assert own.kept.letters == [Letter("t1", DELIVERY, "it answered 422")]
    assert (own.moves, own.kept.progress.failing) == (1, {})


def test_one_that_is_away_for_an_hour_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([FAILED] * 15 + [DELIVERED], monkeypatch)
    assert own.deliver()
    assert (own.kept.letters, own.moves) == ([], 1)
    assert own.now - 1_000_000 > 2000


def test_what_fails_for_too_long_is_a_dead_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([FAILED] * 50, monkeypatch)
    assert own.deliver()
    assert own.now - 1_000_000 >= 3600
    assert own.kept.letters == [Letter("t1", DELIVERY, "it answered 503")]
    # It is still away: what comes next is not given another hour, unless it is younger.
    assert LANE in own.kept.progress.failing
    before = own.now
    assert own.deliver()
    assert own.now == before
    assert own.deliver(at=own.now)
    assert own.now - before >= 3600


def test_with_very_many_dead_letters_what_follows_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in (REFUSED, FAILED):
        own = Story([answer] * 40 + [DELIVERED], monkeypatch, room=0)
        assert own.deliver()
        assert (len(own.tried), own.kept.letters, own.moves) == (41, [], 1)


def test_a_failure_is_known_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([FAILED, DELIVERED], monkeypatch)
    own.kept.progress.failing[LANE] = (1_000_000.0 - 3600, "before the restart")
    assert own.deliver()
    assert [letter.why for letter in own.kept.letters] == ["it answered 503"]


def test_the_end_lets_an_attempt_end_and_moves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([], monkeypatch)
    own.courier._give_up = float("inf")
    assert not own.deliver()
    assert (own.moves, own.kept.letters) == (0, [])


def test_a_receivers_wish_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Story([Outcome(Became.FAILED, "it answered 429", 120.0), DELIVERED], monkeypatch)
    assert own.deliver()
    assert own.tried[1] - own.tried[0] == pytest.approx(120, abs=0.01)
