"""Every example message is what its file name says, and every kind of event has one."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from infra.kafka.lines import read_key
from streaming import project
from streaming.contracts import CONTRACTS
from streaming.reasons import Reason
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate

EXAMPLES = project.examples()
ARRIVAL = datetime(2026, 1, 31, 20, 15, 8, tzinfo=UTC)
FILES = sorted(path for path in EXAMPLES.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def verdicts(spark: SparkSession) -> dict[Path, set[str]]:
    """Reasons by file; a record's key is what its value says, or some key where it says nothing."""
    rows = []
    for place, file in enumerate(FILES):
        value = file.read_bytes().removesuffix(b"\n")
        key, _ = read_key(value, CONTRACTS[topic(file)].key)
        rows.append((topic(file), 0, place, ARRIVAL, key or b"o-00000001", value, None))
    return {
        FILES[row["offset"]]: set(row["reasons"]) for row in validate(spark.createDataFrame(rows, RECORD)).collect()
    }


def topic(file: Path) -> str:
    return file.relative_to(EXAMPLES).parts[0]


def shows(file: Path) -> str:
    """What a file's name says: an event type or a reason, before the schema version."""
    return file.name.partition(".")[0]


def test_examples_lie_by_topic_and_verdict() -> None:
    for file in FILES:
        assert re.fullmatch(
            rf"({'|'.join(CONTRACTS)})/(good|bad)/[a-z_]+(\.v[0-9]+)?\.json", str(file.relative_to(EXAMPLES))
        )


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_kind_of_event_has_a_good_example(name: str) -> None:
    assert {shows(file) for file in (EXAMPLES / name / "good").iterdir()} == set(CONTRACTS[name].required)
    assert any((EXAMPLES / name / "bad").iterdir())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(EXAMPLES)))
def test_an_example_is_what_its_name_says(verdicts: dict[Path, set[str]], file: Path) -> None:
    if file.parent.name == "good":
        assert verdicts[file] == set()
        assert f'"{shows(file)}"' in file.read_text()
    else:
        assert verdicts[file] == {Reason(shows(file))}
