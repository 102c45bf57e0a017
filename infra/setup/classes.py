"""Spark's classes as a file that its JVMs map into memory, instead of loading them one by one from 280 jars at each start.

Data flow: `.daybreak/jars/spark`, pyspark's jars -> a JVM that has used them -> `.daybreak/jars/spark.jsa`
Run: python3 -m infra.setup classes
Source: "Dynamic CDS archives" (JEP 350). A start of Spark and its first queries take a third less CPU.

A JVM of another version, or with other jars, takes no notice of the file. Where none can be written, all works without it.
"""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.installation import ROOT, VENV
from infra.setup.compiled import STEP as COMPILED
from infra.setup.jars import JARS, of_spark, pyspark_jars
from infra.setup.prerequisites import java
from infra.setup.step import Step, digest

ARCHIVE = JARS / "spark.jsa"
WARM_UP = Path(__file__).parent / "warm_up.py"
LONGEST_SECONDS = 900
IN_PLACE = ("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0")
"""Map the file to the address that it was made for. Newer Javas map it to a random one (JDK-8294323), and write all its pages
anew for that: 210 MB of memory of each program's own, where all could share those of the file."""
RUN = (VENV / "bin" / "python", "-P")
"""With -P no file of this room, as queue.py, is taken for a module of Python."""


def classpath(jars: Path, pyspark: Path) -> str:
    """The class path that an archive was made with, and that a program must begin with to use it: of real folders."""
    return f"{jars.resolve()}/*:{pyspark.resolve()}/*"


def _install() -> None:
    ARCHIVE.unlink(missing_ok=True)
    with TemporaryDirectory(dir=JARS) as folder:
        fresh = Path(folder) / ARCHIVE.name
        # A Java that does not know IN_PLACE writes none: it would refuse to start with it.
        options = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *IN_PLACE, f"-XX:ArchiveClassesAtExit={fresh}"]
        command = [*RUN, WARM_UP, classpath(JARS / "spark", pyspark_jars()), " ".join(options)]
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
        env = {**clean, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_CONF_DIR": folder}
        try:
            done = subprocess.run(
                list(map(str, command)), env=env, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_SECONDS
            )
            said = (done.stderr or done.stdout).strip().splitlines()
        except subprocess.TimeoutExpired:
            said = [f"it did not end within {LONGEST_SECONDS} s"]
        if fresh.is_file():
            fresh.replace(ARCHIVE)
        else:
            print(
                f"  no archive of classes was written, so Spark starts slower; the last word was: {said[-1:]}",
                flush=True,
            )


def _made_from() -> str:
    said = subprocess.run([java(), "-version"], capture_output=True, text=True).stderr
    return digest(
        WARM_UP, said, *IN_PLACE, *(f"{jar} {jar.stat().st_size} {jar.stat().st_mtime_ns}" for jar in of_spark())
    )


STEP = Step(
    name="classes",
    says="An archive of Spark's classes, so that its programs start faster (half a minute)",
    stamp=JARS / "spark.jsa.stamp",
    made_from=_made_from,
    install=_install,
    complete=lambda: True,
    after=COMPILED.name,
)
