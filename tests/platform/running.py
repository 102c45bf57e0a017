"""A running platform of its own, to send to, to read from, and to kill parts of.

Data flow: `daybreak up` in a fresh home -> Platform: commands, records and their ledger, failpoints, tables by delta-rs
Run: pytest tests/platform
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import Consumer, TopicPartition
from deltalake import DeltaTable
from warm import Driver

from infra.kafka import client, login
from infra.kafka.delivery_log import Entry, Ledger, read_ledger
from infra.kafka.places import Ends
from infra.kafka.send import Sender
from infra.kafka_users import User
from infra.lake import reader
from infra.services.program import Name
from infra.services.roster import roster
from infra.services.status import Condition
from infra.services.status import status as statuses
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings
from streaming.contracts import CONTRACTS

TOPICS = tuple(CONTRACTS)
VIEWS = ("order_totals", "order_payments")
DRAIN_SECONDS = 1200
"""Longest wait for the stream: a restart takes 20 s on an idle machine, and tests may share it."""


def until(what: str, found: Callable[[], Any], seconds: float = DRAIN_SECONDS) -> Any:
    """The first answer of `found` that is true. Fails with `what` after `seconds`."""
    give_up = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < give_up, f"{what}: not within {seconds:.0f} s"
        time.sleep(1)
    return answer


@dataclass
class Index:
    """A ledger's acked entries up to `size` bytes: a day's lines take seconds to decode, and every audit asks for them.

    A ledger only grows; one with another `first` line is another.
    """

    first: str
    size: int = 0
    acked: list[Entry] = field(default_factory=list)

    def read_on(self, ledger: Path) -> None:
        """Take in the lines that were written since."""
        self.acked += [entry for entry in read_ledger(ledger, self.size) if entry.outcome == "acked"]
        self.size = ledger.stat().st_size


INDEX: dict[Path, Index] = {}


@dataclass(frozen=True)
class Platform:
    """One platform in its own home; `env` is the environment of every command, `source` the tree whose code runs.

    `driver`, if there is one, runs what ends.
    """

    settings: Settings
    env: dict[str, str]
    driver: Driver | None = None
    source: Path = ROOT

    @property
    def ledger(self) -> Path:
        """Every record that was ever sent to this platform, with its payload."""
        return self.settings.home / "ledger.jsonl"

    def run(self, *arguments: str, check: bool = True, seconds: float = 1800) -> subprocess.CompletedProcess[str]:
        """Run a module or a command of ours (`streaming`, `batch night …`, `daybreak …`) to its end."""
        if self.driver and arguments[0] in ("batch", "streaming"):
            done = self.driver.run(arguments, seconds)
        else:
            with self.begin(*arguments) as process:
                output, errors = process.communicate(timeout=seconds)
            done = subprocess.CompletedProcess(arguments, process.returncode, output, errors)
        assert not check or not done.returncode, (
            f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr[-5000:]}"
        )
        return done

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """The same without waiting; its process group is its own."""
        program, *rest = arguments
        first = (
            [str(Path(sys.executable).with_name("daybreak"))]
            if program == "daybreak"
            else [sys.executable, "-m", program]
        )
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
        # As a person's shell has it: who closes its files is the command.
        pipes |= {"umask": 0o022}
        return subprocess.Popen([*first, *rest], cwd=self.source, env=self.env, **pipes)  # type: ignore[call-overload,no-any-return]

    def send(self, records: Iterable[tuple[str, bytes | None, bytes | None, str | None, str]]) -> int:
        """Send (topic, key, value, event_id, kind) and put them into the ledger; the number of them."""
        with Ledger(self.ledger, payloads=True) as ledger, Sender(TOPICS, ledger) as sender:
            for topic, key, value, event_id, kind in records:
                sender.send(topic, key, value, event_id, kind=kind)
        assert not sender.rejected, sender.rejected
        return sender.acked.total()

    def send_packed(self, records: Iterable[tuple[str, bytes | None, bytes | None, str | None, str]]) -> int:
        """The same by a producer that packs values of up to 64 MB, as none of ours does."""
        packing: client.Options = {"compression.type": "gzip", "message.max.bytes": 64 << 20}
        usual = client.options
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client, "options", lambda: usual() | packing)
            return self.send(records)

    def sent(self) -> list[Entry]:
        """The ledger's acked entries; what was read before is not read again."""
        with self.ledger.open(encoding="ascii") as lines:
            first = lines.readline()
        known = INDEX.get(self.ledger)
        if known is None or known.first != first:
            known = INDEX[self.ledger] = Index(first)
        known.read_on(self.ledger)
        return list(known.acked)

    def table(self, name: str) -> DeltaTable:
        """A table of the lake, `layer/name`, without Spark."""
        return reader.delta(self.settings, name)

    def exists(self, name: str) -> bool:
        """Is there such a table?"""
        return reader.exists(self.settings, name)

    def rows(self, name: str, *columns: str, version: int | None = None) -> list[dict[str, Any]]:
        """Rows of a table as dictionaries, timestamps in UTC."""
        found = reader.read(self.settings, name, list(columns) or None, version)
        rows: list[dict[str, Any]] = found.to_pylist(maps_as_pydicts="strict")
        return rows

    @property
    def kafka(self) -> dict[str, str | int | float | bool]:
        """What a client of the owner's needs."""
        s = self.settings
        return {"bootstrap.servers": s.kafka_bootstrap, "log_level": 0, **login.of_librdkafka(s, User.OWNER)}

    def ends(self) -> Ends:
        """One past the last offset in Kafka, per topic and partition."""
        consumer = Consumer({**self.kafka, "group.id": "tests"})
        try:
            parts = [(t, p) for t in TOPICS for p in consumer.list_topics(t, timeout=30).topics[t].partitions]
            return {at: consumer.get_watermark_offsets(TopicPartition(*at), timeout=30)[1] for at in parts}
        finally:
            consumer.close()

    def wait_drained(self, seconds: float = DRAIN_SECONDS) -> None:
        """Wait until every table of the stream holds what Kafka holds: progress is written behind silver and the views."""
        ends = self.ends()
        until("the stream has read everything", lambda: self._read_to(ends), seconds)

    def _read_to(self, ends: Ends) -> bool:
        done: Ends = {}
        for row in self.rows("speed/progress", "offsets"):
            for part in row["offsets"]:
                at = (part["topic"], part["partition"])
                done[at] = max(done.get(at, 0), part["to"])
        return all(done.get(at, 0) >= end for at, end in ends.items())

    def supervisor(self) -> Supervisor:
        """To stop and start single programs."""
        return Supervisor(self.settings)

    def status(self, name: str) -> dict[str, Any]:
        """One program's line of `daybreak status`."""
        found = json.loads(self.run("daybreak", "status", "--json", check=False).stdout)
        return next(program for program in found if program["name"] == name)

    def wait_healthy(self, name: str, after: int | None = None, seconds: float = DRAIN_SECONDS) -> None:
        """Wait until a program works, as another process than `after`."""

        program = {Name(name): roster(self.settings)[Name(name)]}

        def works() -> bool:
            (now,) = statuses(program, self.supervisor())
            # What a failpoint kills three times is called failing for a while, also while it works.
            well = now.condition is Condition.HEALTHY or (
                now.condition is Condition.FAILING and now.pid and program[Name(name)].waits_for(now.pid) is None
            )
            return bool(well) and now.pid != after

        until(f"{name} works", works, seconds)

    @contextmanager
    def paused(self, name: str) -> Iterator[None]:
        """A program with all its processes stands still; it need not be started again, which takes a minute."""
        group = self._leader(name)
        os.killpg(group, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(group, signal.SIGCONT)

    def kill(self, name: str) -> int:
        """`kill -9` a program with all its processes, and wait until it is dead; the old pid."""
        pid = self._leader(name)
        # It may end by itself at this moment.
        with suppress(ProcessLookupError):
            os.killpg(os.getpgid(pid), signal.SIGKILL)
        # It may be collected between two looks at it.
        with suppress(psutil.NoSuchProcess):
            dying = psutil.Process(pid)
            until(f"{name} is dead", lambda: dying.status() == psutil.STATUS_ZOMBIE, 30)
        return pid

    def _leader(self, name: str) -> int:
        """The pid of a program, which leads its process group.

        One that has just ended is waited for: its pid is 0, and the process group of 0 is ours. So is one that has just begun:
        until it has a group of its own, it is in supervisor's.
        """

        def leads() -> int:
            pid = self.supervisor().processes()[Name(name)].pid
            with suppress(ProcessLookupError):
                return pid if pid and os.getpgid(pid) == pid else 0
            return 0

        return int(until(f"{name} runs", leads, 60))

    def hold(self, place: str) -> None:
        """Let the next process that comes to a failpoint stand still there."""
        (self.settings.home / "failpoints").mkdir(exist_ok=True)
        (self.settings.home / "failpoints" / f"{place}.reached").unlink(missing_ok=True)
        (self.settings.home / "failpoints" / place).touch()

    def reached(self, place: str, seconds: float = DRAIN_SECONDS) -> None:
        """Wait until one stands there."""
        until(f"a process stands at {place}", (self.settings.home / "failpoints" / f"{place}.reached").exists, seconds)

    def release(self, place: str) -> None:
        """Let it go on, and hold nobody else."""
        (self.settings.home / "failpoints" / place).unlink()


def of_group(group: int) -> list[psutil.Process]:
    """What still runs of a process group: Spark's JVM ends a moment after the program."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
