"""A driver that stays: the night's own commands, one after the other in one process. Its start costs more than a small night.

Data flow: arguments as a line of JSON -> `python -m batch` in here -> exit code and what was printed, as a line of JSON
Run: pytest tests/platform/test_06_truth.py

Nights that are to die, and those of Airflow and of `daybreak night`, have processes of their own.
"""

import json
import os
import select
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
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
        """What `python -m batch <arguments>` does, to its end."""
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
            return subprocess.Popen([sys.executable, __file__], cwd=self.folder, env=self.env, **pipes)

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process:
            # At the end of its input it ends, and its JVM with it.
            self._process.communicate(timeout=300)


def answer(arguments: list[str]) -> dict[str, Any]:
    """Run one command; its exit code and what it printed."""
    from batch.__main__ import app
    from infra.failures import reported
    from infra.settings import settings

    # As a new process would, it reads the settings afresh.
    settings.cache_clear()
    output, errors = StringIO(), StringIO()
    code: Any = 0
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            with reported():
                app(arguments)
        except SystemExit as end:
            code = end.code or 0
        except Exception as failure:
            print(f"{type(failure).__name__}: {failure}", file=sys.stderr)
            code = 1
    return {"returncode": code, "stdout": output.getvalue(), "stderr": errors.getvalue()}


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
