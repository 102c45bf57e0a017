"""The tutorials of streaming/README.md, performed as they stand there: a view and a topic by a file and a line each.

Data flow: README -> a copy of the tree -> its catalog, its versions, its own tests
Run: pytest tests/batch/test_tutorial.py
"""

import json
import subprocess
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tutorial import TOPIC, VIEW, copied, performed, python

from infra.settings import ROOT
from streaming.contracts import CONTRACTS
from streaming.versions.definitions import definitions
from streaming.views import VIEWS

pytestmark = pytest.mark.slow

PROGRAM = """
import json, sys, pytest
from infra.session import spark
from infra.spark_conf import FEW_ROWS
from streaming.versions.definitions import definitions
print("FOUND" + json.dumps(dict(definitions(spark("tutorial", "1g", "night_memory", "", FEW_ROWS)))))
sys.exit(pytest.main(sys.argv[1:]))
"""
"""The versions of the copy, and then its tests, in one Spark."""
GENERIC = (
    *("tests/batch/test_catalog.py", "tests/dbt/test_project.py", "tests/test_architecture.py"),
    *("tests/streaming/test_views.py", "tests/streaming/test_contracts.py"),
)
"""Tests that loop over the registries; what its micro-batches and nights give is shown by `make soak`, on a platform."""
NEW = f"{VIEW} or {TOPIC} or not ({' or '.join([*VIEWS, *CONTRACTS])})"
"""Of these, those of what is new, and those of the whole: of every other view and topic they were run in this tree."""


@pytest.fixture(scope="module")
def wrote(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The copy, and what its catalog wrote."""
    folder = copied(tmp_path_factory.mktemp("tutorial"))
    return folder, performed(folder)


@pytest.fixture(scope="module")
def ran(wrote: tuple[Path, list[str]]) -> subprocess.CompletedProcess[str]:
    """PROGRAM in the copy."""
    return python(wrote[0], "-c", PROGRAM, "-q", "-p", "no:cacheprovider", "-k", NEW, *GENERIC)


def test_the_catalog_writes_what_dbt_needs(wrote: tuple[Path, list[str]]) -> None:
    _, said = wrote
    new = {line.removeprefix("wrote ") for line in said if not (ROOT / line.removeprefix("wrote ")).exists()}
    assert new == {
        *(f"dbt/models/staging/stg_{layer}__{VIEW}.sql" for layer in ("speed", "truth")),
        *(f"dbt/models/staging/stg_{layer}__{TOPIC}.sql" for layer in ("silver", "truth")),
        *(f"dbt/models/marts/fct_{VIEW}{more}.sql" for more in ("", "_history")),
    }
    assert {line.removeprefix("wrote ") for line in said} - new == {
        *(f"dbt/models/sources/{layer}.yml" for layer in ("silver", "speed", "truth")),
        *("dbt/macros/views.sql", "dbt/macros/topics.sql"),
        *("dbt/models/staging/views.yml", "dbt/models/staging/topics.yml", "dbt/models/marts/views.yml"),
    }


def test_no_other_definition_changes(spark: SparkSession, ran: subprocess.CompletedProcess[str]) -> None:
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("FOUND")]
    before, after = definitions(spark), json.loads(line.removeprefix("FOUND"))
    assert set(after) - set(before) == {VIEW, f"events/{TOPIC}"}
    assert {name for name in before if before[name] != after[name]} == {"events"}


def test_the_tests_that_loop_over_the_registries_pass(ran: subprocess.CompletedProcess[str]) -> None:
    assert ran.returncode == 0, ran.stdout[-8000:]
