"""A Spark standalone cluster, started by the very lines of infra/README.md: a master, and workers of one core.

Data flow: code blocks of the README, free ports, a folder -> processes of a master and workers
Run: pytest tests/infra/test_cluster.py
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from socket import create_connection, socket
from typing import Any

import httpx
import psutil
import pyspark

from infra import cluster_files, spark_page
from infra.services.program import BIN
from infra.settings import ROOT, Settings

BLOCK = re.compile(r"^```(?:sh|ini)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HOST, SECONDS = "127.0.0.1", 90.0


def free_port() -> int:
    with socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def told(title: str = "## On a Spark cluster") -> tuple[dict[str, str], str, dict[str, str]]:
    """What the README says: by class, the command of master and worker; the line that writes their folder; the settings."""
    page = (ROOT / "infra" / "README.md").read_text().split(f"\n{title}\n")[1].split("\n## ")[0]
    files, started, settings = BLOCK.findall(page)
    commands = {line.split()[1].rpartition(".")[2]: line for line in started.splitlines() if "spark-class" in line}
    assert sorted(commands) == ["Master", "Worker"]
    return commands, files.strip(), dict(line.split("=", 1) for line in settings.splitlines())


def until(what: str, found: Callable[[], Any], seconds: float = SECONDS) -> Any:
    give_up = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < give_up, what
        time.sleep(0.2)
    return answer


class Cluster:
    """A master and, as one asks for them, workers. They trust the drivers of `s`."""

    def __init__(self, folder: Path, s: Settings) -> None:
        self.folder, self.port, self.page = folder, free_port(), free_port()
        self.conf = cluster_files.write(s, folder / "conf")
        self._password = s.spark_ui_password.get_secret_value()
        self._commands, _, self._settings = told()
        # Neither this tree's path nor a setting of ours: what executors have, the driver gave them.
        self._env = {
            k: v for k, v in os.environ.items() if not k.startswith(("DAYBREAK_", "SPARK_", "PYTHON", "PYSPARK"))
        }
        self._env |= {"SPARK_CONF_DIR": str(self.conf), "SPARK_HOME": str(Path(pyspark.__file__).parent)}
        self._env["PATH"] = f"{BIN}:{self._env['PATH']}"
        self.running: list[subprocess.Popen[bytes]] = []
        self._begin("Master", f" --port {self.port} --webui-port {self.page}")
        until("the master listens", self._listens)

    @property
    def url(self) -> str:
        return f"spark://{HOST}:{self.port}"

    def settings(self, **more: str) -> dict[str, str]:
        """What the README tells to set, of this cluster."""
        return {**self._settings, "DAYBREAK_SPARK_MASTER": self.url, "DAYBREAK_SPARK_ADDRESS": HOST, **more}

    def of_local_stream(self) -> dict[str, str]:
        """The same for a stream that was local before: it keeps its checkpoints."""
        return {name: value for name, value in self.settings().items() if name != "DAYBREAK_CHECKPOINTS"}

    def worker(self) -> subprocess.Popen[bytes]:
        """One more; returns when the master knows it."""
        before = self._alive()
        own = self._begin("Worker", f" --webui-port 0 --work-dir {self.folder}/work-{len(self.running)}")
        until("the master knows the worker", lambda: self._alive() - before)
        return own

    def master_says(self) -> Any:
        login = (spark_page.USER, self._password)
        return (
            httpx.get(f"http://{HOST}:{self.page}/json/", auth=login, timeout=10, trust_env=False)
            .raise_for_status()
            .json()
        )

    def holds(self) -> Mapping[str, int]:
        """Cores of each application that runs."""
        return {one["name"]: one["cores"] for one in self.master_says()["activeapps"]}

    def kill(self, application: str) -> None:
        """`kill -9` of the worker on which a task of this application could run just now."""
        (own,) = (one["id"] for one in self.master_says()["activeapps"] if one["name"] == application)
        # The master counts a core as held before the worker has started the executor.
        process = until(f"a worker runs an executor of {application}", lambda: self._worker_of(own))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def _worker_of(self, application: str) -> subprocess.Popen[bytes] | None:
        for process in self.running[1:]:
            if process.poll() is None and any(application in words for words in _children(process.pid)):
                return process
        return None

    def stop(self) -> None:
        for process in reversed(self.running):
            # Executors that are in its group end with it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _begin(self, kind: str, more: str) -> subprocess.Popen[bytes]:
        line = re.sub(r"--(port|webui-port|work-dir) \S+", "", self._commands[kind])
        line = re.sub(r"spark://\S+", self.url, re.sub(r"--host \S+", f"--host {HOST}", line))
        log = (self.folder / f"{kind}-{len(self.running)}.log").open("w")
        own = subprocess.Popen((line + more).split(), env=self._env, stdout=log, stderr=log, start_new_session=True)
        self.running.append(own)
        return own

    def _listens(self) -> bool:
        assert self.running[0].poll() is None, (self.folder / "Master-0.log").read_text()
        try:
            create_connection((HOST, self.port), 1).close()
            # Its page comes a moment after its port.
            return bool(self.master_says())
        except (OSError, httpx.HTTPError):
            return False

    def _alive(self) -> set[str]:
        return {one["id"] for one in self.master_says()["workers"] if one["state"] == "ALIVE"}


def _children(pid: int) -> Iterator[str]:
    """Command lines of the processes that it has started and that run."""
    for child in psutil.Process(pid).children():
        with suppress(psutil.Error):
            yield " ".join(child.cmdline())
