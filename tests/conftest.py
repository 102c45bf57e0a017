"""What tests share: one local Spark session, a lake in a folder, and a Kafka in this process."""

import logging
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from xdist.scheduler import LoadFileScheduling

from infra.class_archive import spark_jvm
from infra.jvm import QUICK_JVM
from infra.kafka import client, login
from infra.kafka_users import User
from infra.lake import login as store_login
from infra.lake import tables
from infra.out_of_memory import GOES_ON
from infra.project_setting import VARIABLE
from infra.registry import DEFAULT
from infra.session import know_often_used, size_code_cache
from infra.settings import ROOT, settings
from infra.spark_conf import FEW_ROWS, write_defaults
from infra.store_users import User as StoreUser

SLOWEST = 30
YOUNG = "-XX:NewSize=1g -XX:MetaspaceSize=512m"
for name in ("COLUMNS", "LINES"):
    # Commands print as wide as their tables take, whatever the terminal that tests are started in.
    os.environ.pop(name, None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script's `make test &` starts so, and what is started from here would be deaf to Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
# They are about the shop and the platform, whatever project the clone's own home has; tests/sensors is tested by itself.
os.environ[VARIABLE] = os.environ.pop("DAYBREAK_TESTED_PROJECT", DEFAULT)


PLATFORMS = tuple(f"tests/platform/{folder}" for folder in ("", "served/", "shop_db/", "orders/", "doors/"))
"""Those with most to do first, and two of them at once."""
LOCAL = ("tests/batch/", "tests/bench/", "tests/dbt/", "tests/streaming/", "tests/")
"""Tests that need a local Spark, which starts cold in each worker, and then the others."""


class InOrder(LoadFileScheduling):  # type: ignore[misc]
    """`pytest -n 3`: what one worker does in order is a file, or all files of a folder that share a platform.

    The first two workers take the platforms, one after the other: these tests wait for processes to start more than they
    compute. The third computes while they wait, all in one Spark that is warm; whoever is done takes what is left.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        # xdist would take the files with most tests first, not those that take longest.
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file = str(super()._split_scope(nodeid))
        # Airflow, which the files of tests/dags share, takes seconds to import.
        return str(Path(file).parent) if file.startswith(("tests/platform/", "tests/dags/")) else file

    def _assign_work_unit(self, node: Any) -> None:
        has_platforms = node in self.nodes[:2]
        own = (scope for scope in self.workqueue if scope.startswith("tests/platform") == has_platforms)
        if (scope := next(own, None)) is not None:
            self.workqueue.move_to_end(scope, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> InOrder:
    """Two workers never share a file's fixtures, nor a platform."""
    return InOrder(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, so that all workers end at about the same time."""
    order = (*PLATFORMS, *LOCAL)
    items.sort(key=lambda item: order.index(max((one for one in order if item.nodeid.startswith(one)), key=len)))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What passed only the second time (.ci/again.py); with `--durations` seconds per file, fixtures included, longest first."""
    passed = {report.nodeid for report in terminalreporter.stats.get("passed", ()) if report.when == "call"}
    for test in os.environ.get("FAILED_BEFORE", "").splitlines():
        terminalreporter.write_line(f"FLAKY {test}" if test in passed else f"failed twice: {test}")
    if config.option.durations is None:
        return
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration  # type: ignore[assignment]
    terminalreporter.section("slowest files")
    for file, spent in seconds.most_common(SLOWEST):
        terminalreporter.write_line(f"{spent:8.1f} s  {file}")


@pytest.fixture(autouse=True)
def own_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that needs no platform sees no settings but its own: not the user's, and not those of a platform that still runs.

    A command that a test runs in this process says who it is, and the next test is the owner again, and reads the lake.
    """
    monkeypatch.setattr(login, "_acting", [User.OWNER])
    monkeypatch.setattr(store_login, "_acting", [StoreUser.READER])
    if not request.node.get_closest_marker("platform"):
        for name in list(os.environ):
            if name.startswith("DAYBREAK_") and name != VARIABLE:
                monkeypatch.delenv(name)
        # A platform's test of the same process may have read them first, and they are kept.
        settings.cache_clear()
        assert client.settings is settings, "the settings of a platform that is gone are still in force"
        assert VARIABLE in os.environ, "so is its environment"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with the platform's own settings, on local files."""
    home = tmp_path_factory.mktemp("spark")
    # Of this tree, whatever platform the user's DAYBREAK_HOME names.
    (home / "jars").symlink_to(ROOT / ".daybreak" / "jars")
    own_settings = settings().model_copy(update={"home": home})
    os.environ["SPARK_CONF_DIR"] = str(write_defaults(own_settings))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    own = (
        SparkSession.builder.appName("tests")
        .master("local[2]")
        # It lives for half an hour, and waits for each collection.
        .config("spark.driver.memory", "2g")
        # The tests of the gateway's guard fill it, and the gateway's goes on.
        .config("spark.driver.extraJavaOptions", " ".join(spark_jvm(own_settings, f"{QUICK_JVM} {GOES_ON} {YOUNG}")))
        .config(map=FEW_ROWS)
        # Spark's Python workers take this tree's code too, wherever the environment's own was installed from.
        .config("spark.executorEnv.PYTHONPATH", str(ROOT))
        # On local files every file forks for its permissions and links: as few as can be.
        .config("spark.databricks.delta.writeChecksumFile.enabled", "false")
        .getOrCreate()
    )
    own.sparkContext.setLogLevel("ERROR")
    know_often_used(own)
    size_code_cache(own)
    yield own
    own.stop()
    # It says good-bye at the interpreter's exit, when the stream that pytest gave it is closed: pytest has the last word.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


@pytest.fixture
def local_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables lie in a folder for the length of a test."""
    monkeypatch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{tmp_path}"))
    return tmp_path


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """librdkafka's own broker, in this process, without a topic: the real protocol, transactions too, but no fencing."""
    mother = Producer({"test.mock.num.brokers": "1", "log_level": 0})
    (node,) = mother.list_topics(timeout=20).brokers.values()
    own = SimpleNamespace(
        kafka_bootstrap=f"{node.host}:{node.port}",
        kafka_client={},
        embedded=lambda endpoint: False,
        bucket="lake",
        corrections_topic="corrections",
        corrections_state_topic="corrections-state",
        alerts_topic="alerts",
        alerts_state_topic="alerts-state",
        publishes=True,
    )
    monkeypatch.setattr(client, "settings", lambda: own)
    yield own
    del mother
