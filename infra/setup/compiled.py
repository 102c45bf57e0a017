"""Our few Java classes, which run in Spark and in brokers: compiled at set-up, so that a JRE is enough, and no jar is in git.

Data flow: `<floor>/**/java/**.java` -> Eclipse's compiler (ECJ), fetched by Ivy -> `.daybreak/jars/spark/daybreak.jar`
Run: python3 -m infra.setup compiled
"""

import subprocess
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.installation import ROOT, SET_UP
from infra.setup.jars import JARS, OURS, of_spark, one_file
from infra.setup.jars import STEP as JARS_STEP
from infra.setup.prerequisites import java
from infra.setup.step import SetupFailure, Step, digest

NAME = "compiled"
JAR = JARS / "spark" / OURS
IVY_FILE = Path(__file__).with_name("compiler.xml")
FLOORS = ("infra", "streaming", "batch")
RELEASE = "17"
"""The oldest Java that the platform runs on."""


def sources() -> list[Path]:
    """Every Java file of ours: below a folder `java` of a floor, in the folders of its package."""
    return sorted(path for floor in FLOORS for path in (ROOT / floor).glob("**/java/**/*.java"))


def compile_into(jar: Path, compiler: Path) -> None:
    """Compile all sources into one jar. Raises SetupFailure with the compiler's words if they have an error."""
    with TemporaryDirectory(dir=JARS) as folder:
        classes = Path(folder) / "classes"
        # Without what was compiled before: a class whose source is gone must be missed.
        listed = ":".join(str(one) for one in of_spark() if one != JAR)
        command = [java(), "-jar", compiler, f"-{RELEASE}", "-proc:none", "-nowarn", "-cp", listed, "-d", classes]
        done = subprocess.run([*map(str, command), *map(str, sources())], capture_output=True, text=True)
        if done.returncode:
            raise SetupFailure(f"our Java classes do not compile:\n{done.stdout}{done.stderr}")
        fresh = Path(folder) / jar.name
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as packed:
            for one in sorted(classes.rglob("*.class")):
                # A fixed time: the same sources give the same jar.
                entry = zipfile.ZipInfo(str(one.relative_to(classes)))
                packed.writestr(entry, one.read_bytes(), zipfile.ZIP_DEFLATED)
        fresh.replace(jar)


def _install() -> None:
    with one_file("compiler", IVY_FILE, "the Java compiler", f"run `{SET_UP}` again to continue") as compiler:
        compile_into(JAR, compiler)


STEP = Step(
    name=NAME,
    says="Our Java classes, compiled (3 MB of compiler, some seconds)",
    stamp=JARS / f"{NAME}.stamp",
    made_from=lambda: digest(IVY_FILE, *sources()),
    install=_install,
    complete=JAR.is_file,
    after=JARS_STEP.name,
)
