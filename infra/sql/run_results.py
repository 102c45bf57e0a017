"""What dbt says of its last run: tests that found rows, and what ended because the gateway did.

Data flow: dbt's run_results.json -> names of models and tests
Run: python -m batch.gold build
"""

import json
import re
from pathlib import Path
from typing import Any

LOST = re.compile(
    "TTransportException|TSocket read 0 bytes|Broken pipe|Connection reset|Connection refused|Could not connect to any"
    "|stopped SparkContext|SparkContext was shut down|Invalid SessionHandle|OutOfMemoryError|daybreak: the gateway"
)
"""How dbt tells that the gateway ended, or had no memory: a reason that another statement has given."""


def lost(results: Path) -> list[str]:
    """Names of the models and tests that ended because the gateway did, or was short of memory; others would fail again."""
    return [_name(one) for one in _all(results) if one["status"] == "error" and LOST.search(one.get("message") or "")]


def failed_tests(results: Path) -> list[str]:
    """Names of the tests that found rows; a test that could not be run is not among them."""
    return [_name(one) for one in _all(results) if one["status"] == "fail"]


def _all(results: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(results.read_text())["results"] if results.exists() else []
    return found


def _name(one: dict[str, Any]) -> str:
    return str(one["unique_id"].split(".")[2])
