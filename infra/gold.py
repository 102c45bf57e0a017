"""Gold: what people query, built and tested by dbt through the SQL gateway.

Data flow: truth, speed, reconciliation -> dbt -> gold, dbt docs
Run: python -m infra.gold build
"""

import json
import os
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from infra.failures import PermanentFailure, TransientFailure, reported
from infra.gateway import register
from infra.lease import Lease
from infra.settings import ROOT, Settings, settings
from infra.tables import Writer

PROJECT = ROOT / "dbt"


class Verb(StrEnum):
    """What can be done with gold."""

    BUILD = "build"
    DOCS = "docs"


DBT = {Verb.BUILD: ("build",), Verb.DOCS: ("docs", "generate", "--static")}
"""The dbt command of each verb."""


def docs_page() -> Path:
    """The docs as one page, once they have been generated."""
    return settings().home / "dbt" / "target" / "static_index.html"


def dbt_environment(s: Settings) -> dict[str, str]:
    """The environment in which dbt finds its project, its gateway and where to put what it writes."""
    state = s.home / "dbt"
    return {
        "DBT_PROJECT_DIR": str(PROJECT),
        "DBT_PROFILES_DIR": str(PROJECT),
        "DBT_TARGET_PATH": str(state / "target"),
        "DBT_LOG_PATH": str(state / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DAYBREAK_GATEWAY_HOST": s.gateway_host,
        "DAYBREAK_GATEWAY_PORT": str(s.gateway_port),
        "DAYBREAK_BUCKET": s.bucket,
        "DAYBREAK_DELAY_SECONDS": str(s.delay_seconds),
    }


def run(verb: Verb) -> None:
    """Run dbt; two runs at once would both write gold, so the second waits for the first.

    Raises:
        PermanentFailure: a model or a test says no; the same data would give the same.
        TransientFailure: dbt could not do its work: the gateway went away, or the lease is held.
    """
    s = settings()
    with Lease(Writer.GATEWAY, s.lease_wait_seconds):
        print(f"{len(register())} tables registered in the gateway", flush=True)
        results = s.home / "dbt" / "target" / "run_results.json"
        results.unlink(missing_ok=True)
        command = [str(Path(sys.executable).with_name("dbt")), "--no-use-colors", *DBT[verb]]
        ended = subprocess.run(command, env=os.environ | dbt_environment(s), cwd=ROOT, check=False)
        failed = _failed_tests(results)
    if failed:
        raise PermanentFailure(f"dbt test failed: {', '.join(failed)}")
    if ended.returncode:
        raise TransientFailure(f"dbt {' '.join(DBT[verb])} ended with code {ended.returncode}; its output says why")


def _failed_tests(results: Path) -> list[str]:
    """Names of the tests that found rows; a test that could not be run is not among them."""
    if not results.exists():
        return []
    found = json.loads(results.read_text())["results"]
    return [result["unique_id"].split(".")[2] for result in found if result["status"] == "fail"]


if __name__ == "__main__":
    with reported():
        if sys.argv[1:] not in [[verb.value] for verb in Verb]:
            raise PermanentFailure(f"usage: python -m infra.gold {'|'.join(Verb)}")
        run(Verb(sys.argv[1]))
