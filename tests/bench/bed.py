"""The bench's own platform, in `.daybreak/bench`, on ports of its own: nothing of a platform that you run is touched.

Data flow: `daybreak up` in a home of its own -> Bed: records to send, the stream's process, days that were not used yet
Run: make bench
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from infra.failures import TransientFailure
from infra.kafka.places import Ends
from infra.kafka.send import Sender
from infra.lake import reader
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings, load, settings
from infra.shop.faults import Faults
from infra.shop.run import Run
from infra.shop.story import TOPICS
from streaming.monitor.catch_up import behind, log_ends

CORE = "kafka,store,postgres,stream"
FIRST_DAY_BACK = 40
"""Days only go forward: of a day behind the stream's clock every event would be late."""
DRAIN_SECONDS = 1800


@dataclass(frozen=True)
class Bed:
    """The platform while it is up."""

    settings: Settings

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """A command of `daybreak`, to its end."""
        command = [str(Path(sys.executable).with_name("daybreak")), *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise TransientFailure(
                f"daybreak {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-1000:]}"
            )
        return done

    def pids(self) -> dict[str, int]:
        """Every program that runs: name -> process."""
        known = Supervisor(self.settings).processes()
        return {str(name): process.pid for name, process in known.items() if process.pid}

    @property
    def stream(self) -> dict[str, int]:
        """The stream alone."""
        return {"stream": self.pids()[Name.STREAM]}

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The stream stands still: warm, unlike one that is started again."""
        group = os.getpgid(self.stream["stream"])
        os.killpg(group, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(group, signal.SIGCONT)

    def next_day(self) -> date:
        """A day that no section has sent yet, younger than all before."""
        file = self.settings.home / "run" / "bench-day"
        today = datetime.now(UTC).date()
        day = date.fromisoformat(file.read_text()) + timedelta(days=1) if file.exists() else None
        day = day or today - timedelta(days=FIRST_DAY_BACK)
        if day >= today:
            raise TransientFailure("all days of this bench are used: remove .daybreak/bench and measure again")
        file.write_text(day.isoformat())
        return day

    def send_day(self, events: int) -> tuple[date, int]:
        """A new day of about `events` records of the shop, as fast as the log takes them; the day, and how many they were."""
        day = self.next_day()
        done = self.run("shop", "--days", "1", "--end", str(day), "--rate", f"{events / 86_400:.5f}", "--json")
        return day, self._acked(done)

    @staticmethod
    def _acked(shop: subprocess.CompletedProcess[str]) -> int:
        return sum(json.loads(shop.stdout.strip().splitlines()[-1])["acked"].values())

    def send_live(self, rate: float, seconds: int) -> int:
        """A shop in real time, of `rate` records a second on average; how many they were.

        A run ends before much of what its visits lead to: so short a shop has fewer records than its rate says.
        """
        own = Run(0, seconds * 1000, rate, 0, seconds * 1000, live=True)
        scaled = rate * rate * seconds / sum(1 for _ in own.records())
        live = ("--live", str(seconds), "--live-rate", f"{scaled:.2f}", "--seed", f"{time.time_ns()}")
        return self._acked(self.run("shop", "--days", "0", *live, "--json"))

    def send_now(self, number: int, seed: int) -> datetime:
        """So many records that happened within the last ten seconds, at once; when the last was acknowledged."""
        now_ms = time.time_ns() // 1_000_000
        shop = Run(now_ms - 10_000, now_ms, number / 2, seed, now_ms, Faults(0, 0, 0, 0, 0), live=True)
        with Sender(TOPICS, None) as sender:
            for copy in islice(shop.records(), number):
                sender.send(copy.topic, copy.key, copy.value, copy.event_id)
        return datetime.now(UTC)

    def drained(self, pause: float = 0.25) -> None:
        """Wait until the stream has read everything, views included. Each look, `pause` seconds apart, takes CPU."""
        ends = log_ends(set(TOPICS))

        def is_done() -> bool:
            return self._has_read(ends) and behind(self.settings).nothing

        until("the stream to catch up", is_done, DRAIN_SECONDS, pause)

    def _has_read(self, ends: Ends) -> bool:
        """Asked of the log's ends, because a stream that has read nothing yet is not behind in any topic that it knows."""
        done: Ends = {}
        for row in reader.read(self.settings, "speed/progress", ["offsets"]).to_pylist():
            for part in row["offsets"] or ():
                at = (part["topic"], part["partition"])
                done[at] = max(done.get(at, 0), part["to"])
        return all(done.get(at, 0) >= end for at, end in ends.items())

    def batches(self, since: datetime) -> list[dict[str, Any]]:
        """The ingest's micro-batches that were planned since, in order, with what they read."""
        columns = ["query", "as_of", "committed_at", "rows", "visible", "durations", "batch_id"]
        rows = reader.read(self.settings, "speed/progress", columns).to_pylist(maps_as_pydicts="strict")
        own = [row for row in rows if row["query"] == "ingest" and row["as_of"] >= since and row["rows"].get("read")]
        return sorted(own, key=lambda row: row["as_of"])


@contextmanager
def bed(port_base: int) -> Iterator[Bed]:
    """Bring it up with nothing in it (the services and the stream), and take it down at the end; its data stays to be seen."""
    for name in [name for name in os.environ if name.startswith(("DAYBREAK_", "SPARK_"))]:
        del os.environ[name]
    home = ROOT / ".daybreak" / "bench"
    # This tree's code, wherever the environment's own `daybreak` was installed from.
    os.environ |= {"DAYBREAK_HOME": str(home), "DAYBREAK_PORT_BASE": str(port_base), "PYTHONPATH": str(ROOT)}
    settings.cache_clear()
    own = Bed(load())
    if home.exists():
        own.run("down")
        shutil.rmtree(home)
    try:
        own.run("up", "--only", CORE)
        settings.cache_clear()
        yield Bed(load())
    finally:
        own.run("down")


def until(what: str, found: Callable[[], Any], seconds: float, pause: float = 0.25) -> Any:
    """The first answer that is true."""
    give_up = time.monotonic() + seconds
    while not (answer := found()):
        if time.monotonic() > give_up:
            raise TransientFailure(f"waited {seconds:.0f} s for {what}")
        time.sleep(pause)
    return answer
