"""A Spark whose heap is full ends, and its program says so in one sentence."""

import subprocess
import sys

from infra.jvm import LATER_C2, SHARED_JVM
from infra.out_of_memory import ENDS
from infra.settings import settings

FILLS_ITS_HEAP = """
from infra.failures import reported
from infra.session import spark
with reported():
    spark("full", "512m", "stream_memory").sparkContext._jvm.java.nio.ByteBuffer.allocate(1 << 30)
"""


def test_a_full_heap_is_named_with_its_setting() -> None:
    ended = subprocess.run([sys.executable, "-c", FILLS_ITS_HEAP], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    said = "daybreak: Spark's JVM ran out of memory: its heap is 512m. Give it more with DAYBREAK_STREAM_MEMORY"
    # Py4J may log in words of its own that the JVM is gone, before we say it.
    before, _, after = ended.stderr.partition(said)
    assert after == "\n"
    assert "Traceback" not in before.partition("ERROR:root:Exception while sending command.")[0]


def test_every_jvm_ends_without_memory_but_the_one_of_many_people() -> None:
    assert ENDS in settings().jvm()
    assert ENDS in settings().jvm(LATER_C2)
    assert ENDS not in settings().jvm(SHARED_JVM)
