"""The jars of Spark's connectors and of the Kafka broker, by the Ivy inside the pyspark wheel.

Data flow: infra/ivy.xml -> Ivy -> each file checked against infra/jars.lock -> `.daybreak/jars/{spark,kafka}`
Run: python3 -m infra.setup jars
"""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from infra.installation import ROOT, SET_UP, STATE, VENV
from infra.jvm import ONE_COMPILER
from infra.setup import pins
from infra.setup.environment import STEP as PYTHON
from infra.setup.prerequisites import java
from infra.setup.step import SetupFailure, Step, digest

IVY_FILE = ROOT / "infra" / "ivy.xml"
JARS = STATE / "jars"
CACHE = STATE / "cache" / "ivy"
CONFIGURATIONS = ("spark", "kafka")
"""Those that every platform needs."""
OURS = "daybreak.jar"
"""What is compiled here (compiled.py), and not fetched."""
TRIES = 3
"""Downloads often break off; Ivy continues from its cache."""


def pyspark_jars() -> Path:
    """The folder of jars inside the pyspark wheel."""
    for folder in VENV.glob("lib/python*/site-packages/pyspark/jars"):
        return folder
    raise SetupFailure(f"pyspark is not installed in {VENV}; run `{SET_UP}`")


def artifact(jar: str) -> str:
    """`netty-common` of `netty-common-4.1.126.Final.jar`; the Scala suffix stays."""
    return re.sub(r"-\d[\w.]*?(\.Final)?\.jar$", "", jar)


def wanted(configuration: str) -> list[str]:
    """File names of the jars that ivy.xml itself names; a retrieval is complete when all of them are there."""
    dependencies = ElementTree.parse(IVY_FILE).getroot().iterfind("dependencies/dependency")
    return [f"{d.get('name')}-{d.get('rev')}.jar" for d in dependencies if d.get("conf") == f"{configuration}->default"]


def missing(*configurations: str) -> list[str]:
    """The jars that ivy.xml names for these configurations and that are not there."""
    return [jar for c in configurations for jar in wanted(c) if not (JARS / c / jar).is_file()]


def retrieve(
    configuration: str,
    folder: Path,
    ivy_file: Path = IVY_FILE,
    kinds: Sequence[str] = ("jar", "bundle"),
    kept: Path | None = None,
) -> bool:
    """Try once to put a configuration's files into `folder`; True if nothing is missing. `kept` is a cache that stays.

    Ivy exits with 0 even if downloads failed, so its output is checked too.
    """
    ivy = next(pyspark_jars().glob("ivy-*.jar"))
    pattern = f"{folder}/[artifact]-[revision].[ext]"
    # Of its own: Ivy loads one file after the other, so configurations are retrieved side by side.
    cache = kept or CACHE / configuration
    command = [java(), ONE_COMPILER, f"-Divy.default.ivy.user.dir={cache}", "-jar", str(ivy), "-cache", str(cache)]
    command += ["-ivy", str(ivy_file), "-confs", configuration, "-retrieve", pattern, "-types", *kinds]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "[SUCCESSFUL" in line:
            print("  " + line.strip().removeprefix("[SUCCESSFUL ] "), flush=True)
    if process.wait() != 0 or any("FAILED DOWNLOADS" in line or "UNRESOLVED" in line for line in said):
        print("".join(said[-40:]), flush=True)
        return False
    if not kept:
        shutil.rmtree(cache, ignore_errors=True)
    return True


def fetched(configuration: str) -> list[Path]:
    """The jars of a configuration that lie in its folder, without ours."""
    return [jar for jar in (JARS / configuration).glob("*.jar") if jar.name != OURS]


def drop_doubles(folder: Path) -> None:
    """Of two versions of one artifact on Spark's class path, which conflict, keep the one from the wheel."""
    there = {artifact(jar.name) for jar in pyspark_jars().glob("*.jar")}
    for jar in folder.glob("*.jar"):
        if artifact(jar.name) in there:
            jar.unlink()


def fetch(configuration: str) -> None:
    """Download the jars of a configuration, unless those that are there are the listed ones.

    Raises SetupFailure if some are missing after TRIES, or if one is not as listed: then none stays.
    """
    folder = JARS / configuration
    if pins.hold(configuration, fetched(configuration)):
        return
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(1, TRIES + 1):
        if retrieve(configuration, folder) and not missing(configuration):
            accept(configuration, folder)
            return
        print(f"  the jars of {configuration!r} are not complete (try {number} of {TRIES})", flush=True)
    raise SetupFailure(f"not every jar of {configuration!r} could be downloaded; run `{SET_UP}` again to continue")


def accept(configuration: str, folder: Path) -> None:
    """Let what was fetched stay, if every file is as listed. Raises SetupFailure if not, and removes all of it."""
    if configuration == "spark":
        drop_doubles(folder)
    try:
        pins.check(configuration, folder.glob("*.jar"))
    except SetupFailure:
        shutil.rmtree(folder)
        raise


def of_spark() -> list[Path]:
    """All jars that Spark's programs have: those that are fetched, and the wheel's."""
    return [jar for folder in (JARS / "spark", pyspark_jars()) for jar in sorted(folder.glob("*.jar"))]


@contextmanager
def one_file(
    configuration: str,
    ivy_file: Path,
    what: str,
    again: str,
    pattern: str = "*.jar",
    kinds: Sequence[str] = ("jar", "bundle"),
) -> Iterator[Path]:
    """The one file of a configuration that only the set-up needs, as long as the block lasts.

    Raises SetupFailure if it could not be had in TRIES, with a sentence that ends with `again`, or if it is not as listed.
    """
    JARS.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=JARS) as folder:
        for number in range(1, TRIES + 1):
            if retrieve(configuration, Path(folder), ivy_file, kinds):
                (found,) = Path(folder).glob(pattern)
                pins.check(configuration, [found])
                yield found
                return
            print(f"  {what} could not be fetched (try {number} of {TRIES})", flush=True)
    raise SetupFailure(f"{what} could not be downloaded; {again}")


def _install() -> None:
    with ThreadPoolExecutor() as pool:
        list(pool.map(fetch, CONFIGURATIONS))


STEP = Step(
    name="jars",
    says="Jars, from infra/ivy.xml (126 MB, a minute or two)",
    stamp=JARS / "stamp",
    made_from=lambda: digest(
        IVY_FILE, pins.said(*CONFIGURATIONS), *sorted(jar.name for jar in pyspark_jars().glob("*.jar"))
    ),
    install=_install,
    complete=lambda: not missing(*CONFIGURATIONS),
    after=PYTHON.name,
)
