"""Deliver one thing after another to a target: tried again with growing pauses, given up into the dead letters.

Data flow: Delivery -> attempts -> delivered, or a dead letter; the position moves with it
Run: daybreak up --with notify

What a receiver refuses for good is a dead letter at once. What fails is tried until its lane has failed for `give_up` seconds and
the thing itself is as old. While a target has letters.MOST open letters, nothing more is given up.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from streaming.notify.letters import Letter, Letters
from streaming.notify.outcome import Became, Delivery, Outcome, pause
from streaming.notify.state import State
from streaming.notify.targets import Target

T = TypeVar("T")
SAVE_SECONDS = 0.2
"""Longest time between a delivery and the save of its position: what is delivered in it is sent again after a kill."""


class Courier:
    """What the lanes of a target share. `over` ends them; `delivered` counts, `moved` is when a position moved last."""

    def __init__(self, target: Target, state: State, letters: Letters, pool: Executor, give_up: float) -> None:
        self.target, self.state, self.over = target, state, asyncio.Event()
        self.delivered, self.moved = 0, time.time()
        self._letters, self._pool, self._give_up = letters, pool, give_up
        self._turn, self._is_saved = asyncio.Lock(), True

    async def deliver(
        self,
        lane: str,
        delivery: Delivery,
        at: float,
        attempt: Callable[[Delivery], Awaitable[Outcome]],
        move: Callable[[], None],
    ) -> bool:
        """Until it is delivered or a dead letter; then `move` moves the position. False if it was over before.

        `lane`: what waits behind it. `at`: when the thing came into the log (epoch seconds).
        """
        failing, tries = self.state.progress.failing, 0
        while not self.over.is_set():
            outcome = await attempt(delivery)
            if outcome.became is Became.DELIVERED:
                failing.pop(lane, None)
                self.delivered += 1
                self.move(move)
                return True
            is_first = lane not in failing
            since = min(failing[lane][0], time.time()) if lane in failing else time.time()
            failing[lane] = since, outcome.why
            tries += 1
            if self._is_given_up(outcome, max(since, at)):
                if outcome.became is Became.REFUSED:
                    # It answers.
                    del failing[lane]
                self.move(move)
                await self.save([Letter(self.target.id, delivery, outcome.why)])
                return True
            if is_first:
                await self.save()
            await self.wait(pause(tries, outcome.after))
        return False

    def _is_given_up(self, outcome: Outcome, since: float) -> bool:
        is_due = outcome.became is Became.REFUSED or time.time() - since >= self._give_up
        return is_due and self._letters.room(self.target)

    def move(self, move: Callable[[], None]) -> None:
        """The position moves; it is saved shortly."""
        move()
        self.moved, self._is_saved = time.time(), False

    async def save(self, letters: Sequence[Letter] = ()) -> None:
        """Save the position, and the letters with it."""
        async with self._turn:
            for letter in letters:
                self._letters.add(letter)
            self._is_saved = True
            await self.blocking(self.state.save, self.state.progress.written(), letters)

    async def saving(self) -> None:
        """Save whatever moves, until it is over."""
        while not self.over.is_set():
            await self.wait(SAVE_SECONDS)
            if not self._is_saved:
                await self.save()

    async def wait(self, seconds: float) -> None:
        """Wait, or until it is over."""
        try:
            async with asyncio.timeout(seconds):
                await self.over.wait()
        except TimeoutError:
            pass

    async def blocking(self, call: Callable[..., T], *arguments: Any) -> T:
        """A call of Kafka's clients, in a thread. It is waited for even if this is cancelled: a client that is closed in the
        middle of a call takes the process with it."""
        running = asyncio.get_running_loop().run_in_executor(self._pool, lambda: call(*arguments))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise
