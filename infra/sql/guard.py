"""The guard of the SQL gateway: ends the statement that fills its memory or its disk, before all others end with it.

Data flow: the JVM's memory, the folder of spilled rows -> the greediest statement is cancelled, with a sentence
Run: pytest tests/infra/test_guard.py

Spark limits the memory of sorts and joins, which spill. It does not know how large a value grows while an aggregate
collects it: such a statement takes the whole heap, and then whoever asks for memory next fails, not only its owner.
"""

import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from infra.failures import TransientFailure

FULL = 0.75
"""Share of the old generation from which on it counts as full: the rest must do until a statement has ended."""
AGAIN_SECONDS = 10.0
"""Time between two collections that were asked for and found nothing: what grows that slowly can wait."""
MOMENT_SECONDS, SETTLED_SECONDS = 0.2, 2.0
STOP_SECONDS, LONGEST_SECONDS = 2.0, 60.0
"""How long memory may stay full after a statement was ended: then its threads are stopped, and at last the gateway ends."""
THREAD = re.compile(r'"([^"]*)"(?: daemon)?(?: prio=\d+)? Id=(\d+)')
"""A thread's name and number, as its ThreadInfo tells itself."""
DBT = '/* {"app": "dbt"'
"""How dbt begins its statements: they are ended last, because a build has no one to ask for less."""


@dataclass(frozen=True)
class Statement:
    """A statement that runs: its group of jobs, its text, and the bytes that its tasks allocate in a moment."""

    group: str
    text: str
    allocated: int

    @property
    def greed(self) -> tuple[bool, int]:
        """The largest is to be ended first."""
        return not self.text.startswith(DBT), self.allocated


class Guard:
    """Looks at memory and disk, and cancels what fills them. `most_spilled` is in bytes; `says` are what a person can change."""

    def __init__(self, session: SparkSession, spill: Path, most_spilled: int, memory: str) -> None:
        self._context = session.sparkContext._jsc.sc()
        jvm = session.sparkContext._jvm
        assert jvm
        self._system = jvm.java.lang.System
        beans = jvm.java.lang.management.ManagementFactory
        self._threads = beans.getThreadMXBean()
        self._thread, self._arrays = jvm.java.lang.Thread, jvm.org.apache.commons.lang3.ArrayUtils
        # Of any collector: Tenured Gen, PS Old Gen, G1 Old Gen.
        self._old = next(
            pool for pool in beans.getMemoryPoolMXBeans() if pool.getName().endswith(("Old Gen", "Tenured Gen"))
        )
        running = jvm.java.util.ArrayList()
        running.add(jvm.org.apache.spark.JobExecutionStatus.RUNNING)
        self._running = running
        self._spill, self._most_spilled, self._memory = spill, most_spilled, memory
        self._collected = 0.0
        self._waits_since: float | None = None
        self._over_since: float | None = None
        self._ended: set[str] = set()

    def look(self) -> str | None:
        """Cancel the greediest statement if memory or disk are nearly full; returns a sentence about it.

        Raises TransientFailure if memory stays full although no statement runs that could be ended.
        """
        try:
            return self._look()
        except Py4JJavaError as failure:
            if "OutOfMemoryError" not in str(failure.java_exception.toString()):
                raise
            self._wait("the gateway's memory was full", set())
            return None

    def _look(self) -> str | None:
        if is_memory := self._memory_is_full():
            why = f"the gateway's memory ({self._memory}, DAYBREAK_GATEWAY_MEMORY) was nearly full"
        elif spilled := self._too_much_spilled():
            why = (
                f"the gateway's statements had filled {spilled >> 20} MB of the disk, and may fill {self._most_spilled >> 20} "
                "(DAYBREAK_GATEWAY_SPILL_MB)"
            )
        else:
            self._waits_since = None
            return None
        running, left = self.statements()
        if left or not running:
            # Rows on the disk that nothing holds go by themselves.
            if left or is_memory:
                self._wait(why, left)
            return None
        one = max(running, key=lambda one: one.greed)
        advice = "so its greediest statement was ended: ask for fewer rows at a time"
        self._context.cancelJobGroup(one.group, f"daybreak: {why}, {advice}")
        self._ended.add(one.group)
        return f"{why}: ended the statement {' '.join(one.text.split())[:100]!r}"

    def _wait(self, why: str, left: set[int]) -> None:
        """Nobody else is to be ended for what an ended statement still holds.

        A task looks whether it was cancelled when it takes its next rows, which in a join of all with all is after millions.
        """
        now = time.monotonic()
        self._waits_since = self._waits_since or now
        if now - self._waits_since > LONGEST_SECONDS:
            raise TransientFailure(f"{why}, and stayed so for {LONGEST_SECONDS:.0f} s after its statements were ended")
        if now - self._waits_since > STOP_SECONDS:
            all_threads = self._thread.getAllStackTraces().keySet()
            # One question for all names, and one for each thread that is to be stopped.
            names = re.split(r", (?=Thread\[)", str(all_threads.toString()))
            threads = all_threads.toArray()
            for place, name in enumerate(names if len(names) == len(threads) else ()):
                if _stage(name) in left:
                    # It computes rows that nobody wants, and holds nothing but memory. Java 20 and later refuse this.
                    with suppress(Py4JJavaError):
                        threads[place].stop()

    def _memory_is_full(self) -> bool:
        """Is it full after a collection? Before one, most of it may be garbage."""
        if self._share() < FULL or time.monotonic() - self._collected < AGAIN_SECONDS:
            return False
        self._system.gc()
        is_full = self._share() >= FULL
        self._collected = 0.0 if is_full else time.monotonic()
        return is_full

    def _too_much_spilled(self) -> int:
        """Bytes, if they are too many even when Spark has removed what it kept of statements that have ended; else 0."""
        if (spilled := size(self._spill)) <= self._most_spilled:
            self._over_since = None
            return 0
        if self._over_since is None:
            self._over_since = time.monotonic()
            # It removes files when nothing in memory refers to their rows.
            self._system.gc()
        return spilled if time.monotonic() - self._over_since > SETTLED_SECONDS else 0

    def _share(self) -> float:
        usage = self._old.getUsage()
        return float(usage.getUsed()) / float(usage.getMax())

    def statements(self) -> tuple[list[Statement], set[int]]:
        """The statements that run jobs, and the stages of which a task still computes although their statement was ended."""
        before = self._allocated()
        time.sleep(MOMENT_SECONDS)
        after = self._allocated()
        # Asked last, so that a statement that has just begun is known.
        stages: dict[str, set[int]] = {}
        texts: dict[str, str] = {}
        for job in _all(self._context.statusStore().jobsList(self._running)):
            if (group := _text(job.jobGroup())) not in self._ended:
                stages.setdefault(group, set()).update(map(int, _all(job.stageIds())))
                texts[group] = _text(job.description())
        found = [
            Statement(group, texts[group], sum(now - before.get(at, now) for at, now in after.items() if at[1] in own))
            for group, own in stages.items()
        ]
        return found, {stage for _, stage in before.keys() & after.keys()} - set().union(*stages.values())

    def _allocated(self) -> dict[tuple[int, int], int]:
        """Bytes that each thread which runs a task has ever allocated, by thread and stage."""
        # Few questions, for all threads at once: when they are asked, each may take seconds.
        ids = self._threads.getAllThreadIds()
        told = str(self._arrays.toString(self._threads.getThreadInfo(ids)))
        numbers, sizes = (
            [int(one) for one in str(self._arrays.toString(array))[1:-1].split(",")]
            for array in (ids, self._threads.getThreadAllocatedBytes(ids))
        )
        allocated = dict(zip(numbers, sizes, strict=True))
        stages = {int(number): _stage(name) for name, number in THREAD.findall(told)}
        return {
            (number, stage): allocated[number]
            for number, stage in stages.items()
            if stage is not None and number in allocated
        }


def _stage(thread: str) -> int | None:
    """4 of `Executor task launch worker for task 0.0 in stage 4.0 (TID 5)`; None for a thread without a task."""
    _, is_task, place = thread.partition(" in stage ")
    return int(place.partition(".")[0]) if is_task else None


def size(folder: Path) -> int:
    """Bytes of all files in a folder; those that disappear meanwhile have none."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size
        except FileNotFoundError:
            continue
    return total


def _all(found: Any) -> Iterable[Any]:
    """The members of a Scala sequence."""
    at = found.iterator()
    while at.hasNext():
        yield at.next()


def _text(found: Any) -> str:
    """What a Scala Option holds, as text."""
    return str(found.get()) if found.isDefined() else ""
