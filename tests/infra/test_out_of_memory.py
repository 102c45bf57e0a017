"""A Spark whose heap is full ends, and its program says so in one sentence."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from infra.jvm import LATER_C2, SHARED_JVM
from infra.out_of_memory import ENDS
from infra.settings import settings

FILLS_ITS_HEAP = """
from infra.failures import reported
from infra.session import spark
with reported():
    spark("full", "512m", "stream_memory").sparkContext._jvm.java.nio.ByteBuffer.allocate(1 << 30)
"""
READS_LONG_ROWS = """
import sys
from infra.session import spark
own = spark("long", "512m", "stream_memory")
print(own.read.parquet(sys.argv[1]).selectExpr("sum(length(value))").collect()[0][0])
print(own.conf.get("spark.local.dir"))
"""
MANY, LONG = 500, 1 << 20


def test_a_full_heap_is_named_with_its_setting() -> None:
    ended = subprocess.run([sys.executable, "-c", FILLS_ITS_HEAP], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    said = "daybreak: Spark's JVM ran out of memory: its heap is 512m. Give it more with DAYBREAK_STREAM_MEMORY"
    # Py4J has words of its own for a JVM that is gone, before or after ours.
    before, _, after = ended.stderr.partition(said)
    assert after == "\n"
    assert "Traceback" not in before


def test_rows_of_a_megabyte_need_a_small_heap_and_an_own_folder(tmp_path: Path) -> None:
    file = f"{tmp_path}/long.parquet"
    values = pa.repeat("x" * LONG, MANY)
    pq.write_table(pa.table({"value": values}), file, use_dictionary=False, write_batch_size=8)
    read = subprocess.run([sys.executable, "-c", READS_LONG_ROWS, file], capture_output=True, text=True, timeout=120)
    counted, folder = read.stdout.split() or ("", read.stderr[-2000:])
    assert counted == str(MANY * LONG), folder
    # A night that was killed leaves gigabytes: infra/left_behind.py.
    assert Path(folder).parent == settings().home / "tmp"


def test_every_jvm_ends_without_memory_but_the_one_of_many_people() -> None:
    assert ENDS in settings().jvm()
    assert ENDS in settings().jvm(LATER_C2)
    assert ENDS not in settings().jvm(SHARED_JVM)
