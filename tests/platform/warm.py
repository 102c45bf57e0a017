"""A driver that stays: commands of night and stream, one after the other in one process. Its start costs more than a small night.

Data flow: arguments as a line of JSON -> `python -m batch` or `python -m streaming` in here -> exit code and output as JSON
Run: pytest tests/platform/test_06_truth.py

What is to die, and what Airflow and `daybreak` start, has a process of its own; so has a stream that is to stay. A stream
that must be refused, and `rebuild`, end by themselves and run here.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any


@dataclass
class Driver:
    """The process, started when it is first needed; Spark's own words go to `log`."""

    env: dict[str, str]
    log: Path
    folder: Path
    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    def run(self, arguments: tuple[str, ...], seconds: float) -> subprocess.CompletedProcess[str]:
        """What `python -m <arguments>` does, to its end: `batch night …`, `streaming rebuild`."""
        process = self._process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
        ready, *_ = select.select([process.stdout], [], [], seconds)
        assert ready, f"{arguments}: not within {seconds:.0f} s, see {self.log}"
        line = process.stdout.readline()
        assert line, f"{arguments}: the driver ended with {process.wait()}:\n{self.log.read_text()[-3000:]}"
        return subprocess.CompletedProcess(arguments, **json.loads(line))

    def _start(self) -> subprocess.Popen[str]:
        with self.log.open("a") as log:
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log, "text": True}
            return subprocess.Popen([sys.executable, __file__], cwd=self.folder, env=self.env, umask=0o022, **pipes)

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process:
            # At the end of its input it ends, and its JVM with it.
            self._process.communicate(timeout=300)


def answer(arguments: list[str]) -> dict[str, Any]:
    """Run one command; its exit code and what it printed."""
    from infra.failures import reported
    from infra.settings import settings

    # As a new process would, it reads the settings afresh.
    settings.cache_clear()
    output, errors = StringIO(), StringIO()
    code: Any = 0
    with redirect_stdout(output), redirect_stderr(errors), cleaned_up():
        try:
            with reported():
                _command(*arguments)
        except SystemExit as end:
            code = end.code or 0
        except Exception as failure:
            print(f"{type(failure).__name__}: {failure}", file=sys.stderr)
            code = 1
    return {"returncode": code, "stdout": output.getvalue(), "stderr": errors.getvalue()}


def start_jvm(who: str) -> None:
    """The JVM of all commands, with the night's options: it would keep those of the first as its own, the UI's port too.

    With the store's key of `who`, stream or night, as a process of its own has it.
    """
    from pyspark import SparkConf, SparkContext

    from infra.class_archive import spark_jvm
    from infra.lake.login import key
    from infra.settings import settings
    from infra.spark_conf import write_defaults
    from infra.store_users import User

    if SparkContext._gateway is None:
        s = settings()
        os.environ["SPARK_CONF_DIR"] = str(write_defaults(s, User(who)))
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        options = {"memory": s.night_memory, "extraJavaOptions": " ".join(spark_jvm(s, s.night_jvm))}
        conf = SparkConf(loadDefaults=False).setAll([(f"spark.driver.{key}", value) for key, value in options.items()])
        SparkContext._ensure_initialized(conf=conf)
    jvm, own = SparkContext._jvm, key(settings(), User(who))
    assert jvm
    for name, value in own._asdict().items():
        jvm.java.lang.System.setProperty(f"spark.hadoop.fs.s3a.{name}.key", value)
    # They have the key of the command before.
    jvm.org.apache.hadoop.fs.FileSystem.closeAll()


def _command(program: str, *arguments: str) -> None:
    start_jvm("night" if program == "batch" else "stream")
    if program == "batch":
        from batch.command_line import app

        app(list(arguments))
    else:
        from streaming.__main__ import commands

        commands()[" ".join(arguments)]()


@contextmanager
def cleaned_up() -> Iterator[None]:
    """What the end of a process would take along: its signal handlers, and a session that a refused command left."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if SparkContext._active_spark_context:
            SparkSession.builder.getOrCreate().stop()


def serve() -> None:
    """Answer every line of the input. Whatever else is written to the standard output goes to the log."""
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        own.write(json.dumps(answer(json.loads(line))) + "\n")
        own.flush()


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    serve()
