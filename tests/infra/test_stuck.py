"""A JVM that gives no answer is ended; one that answers in time lives."""

import subprocess
import sys

from infra.sql.stuck import ends_when_stuck


def test_a_program_that_gives_no_answer_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as program:
        with ends_when_stuck(program.pid, 60):
            pass
        assert program.poll() is None
        with ends_when_stuck(program.pid, 0.1):
            assert program.wait(60) == -9
