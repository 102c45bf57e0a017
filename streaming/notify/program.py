"""All targets of the file, side by side: each has its own position, so one that is away holds up no other.

Data flow: `<home>/notify.json` -> a task per target; every second `<home>/run/notify.json`
Run: python -m streaming.notify
"""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.read_committed import READING
from infra.owner_file import Kept
from infra.page.write import put
from infra.services.notify import status_file
from infra.settings import Settings
from streaming.notify import by_mail, in_order, targets
from streaming.notify.courier import Courier
from streaming.notify.letters import Letters
from streaming.notify.state import State, create
from streaming.notify.targets import MOST

T = TypeVar("T")
SAY_SECONDS = 1.0


@dataclass
class Running:
    """A target that is served."""

    courier: Courier
    task: "asyncio.Task[None]"

    async def end(self) -> None:
        """Let what was begun end."""
        self.courier.over.set()
        await self.task


class Notify:
    """The program. Raises TransientFailure if Kafka does not answer."""

    def __init__(self, s: Settings, over: asyncio.Event) -> None:
        create(s)
        self._settings, self._over = s, over
        self._kept = Kept(targets.file_of(s), targets.read)
        self._running: dict[str, Running] = {}
        self._pool = ThreadPoolExecutor(2 * MOST + 2, "notify")
        self._notices: list[str] = []

    async def run(self) -> None:
        """Until it is over; then each attempt that was begun ends first."""
        with ExitStack() as stack:
            options = READING | {"isolation.level": "read_committed"}
            letters = Letters(self._settings, stack.enter_context(client.consumer("notify-dead-letters", options)))
            try:
                while not self._over.is_set():
                    await self._blocking(letters.look)
                    await self._changes(letters)
                    self._say()
                    await self._tick()
            finally:
                await asyncio.gather(*(one.end() for one in self._running.values()), return_exceptions=True)
                self._pool.shutdown(wait=False, cancel_futures=True)
            for one in self._running.values():
                one.task.result()

    async def _tick(self) -> None:
        """A second, or until it is over or a target has failed."""
        over = asyncio.ensure_future(self._over.wait())
        tasks = [one.task for one in self._running.values()]
        await asyncio.wait([over, *tasks], timeout=SAY_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        for task in tasks:
            if task.done():
                task.result()

    async def _changes(self, letters: Letters) -> None:
        """Serve the targets as the file has them now."""
        try:
            wanted = self._kept.now()
            self._notices = [] if wanted else ["nobody is notified yet: daybreak notify add NAME --url URL"]
        except PermanentFailure as failure:
            self._notices = [f"targets stay as they were: {failure}"]
            return
        for name, one in [*self._running.items()]:
            if wanted.get(name) != one.courier.target:
                await self._running.pop(name).end()
        for target in [*wanted.values()][:MOST]:
            if target.name not in self._running:
                state = await self._blocking(partial(State, self._settings, target))
                give_up = self._settings.notify_give_up_hours * 3600
                courier = Courier(target, state, letters, self._pool, give_up)
                serve = in_order.run if target.url else by_mail.run
                self._running[target.name] = Running(
                    courier, asyncio.create_task(_named(serve(self._settings, courier)))
                )

    async def _blocking(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def _say(self) -> None:
        now = time.time()
        own = {
            name: {"delivered": one.courier.delivered, "moved": one.courier.moved}
            for name, one in self._running.items()
        }
        said = {"pid": os.getpid(), "at": now, "notices": self._notices, "targets": own}
        put(status_file(self._settings), json.dumps(said).encode())


async def _named(serving: Awaitable[None]) -> None:
    """A group of tasks wraps what one of them raised."""
    try:
        await serving
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from group
