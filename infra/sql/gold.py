"""Gold: what people query, built and tested by dbt through the SQL gateway.

Data flow: truth, speed, reconciliation -> dbt -> gold, dbt docs
Run: python -m batch.gold build
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path

from infra.failures import PermanentFailure, TransientFailure
from infra.lake.lease import Lease
from infra.lake.tables import Writer
from infra.options import of_dbt
from infra.settings import ROOT, Settings, settings
from infra.spark_conf import FEW_ROWS
from infra.sql import docs
from infra.sql.gateway import opened, register
from infra.sql.lineage import Said, of_build
from infra.sql.models import models
from infra.sql.reach import is_encrypted
from infra.sql.run_results import failed_tests, lost
from infra.sql.users import Role, given
from infra.tls_settings import ca_file

VERIFIED = "infra.sql.verified_dbt"
SECRET = "DBT_ENV_SECRET_GATEWAY_PASSWORD"
"""Where dbt/profiles.yml reads its password."""


class Verb(StrEnum):
    """What can be done with gold."""

    BUILD = "build"
    REBUILD = "rebuild"
    DOCS = "docs"


DBT = {Verb.BUILD: ("build",), Verb.REBUILD: ("build", "--full-refresh"), Verb.DOCS: ("docs", "generate", "--static")}
"""The dbt command of each verb."""
ALL_BUT_VIEWS = ("--select", "config.materialized:table", "config.materialized:incremental", "resource_type:test")
"""All but SQL views, which are created once: while the project is unchanged, a view reads current data. Facts are
rebuilt for the days that may have changed, and only these are tested again."""

INLINED = {"spark.sql.legacy.ctePrecedencePolicy": "LEGACY"}
"""Spark puts each common table expression where its name stands, and so resolves a query at once. By default it resolves one
expression after the other and looks at the whole query each time. With LEGACY a name of an outer query hides the same name of an
inner one, so no query has a name twice (tests/dbt/test_queries.py). A view keeps the setting with which it was created."""
RESUMED, BACK_SECONDS = 2, 120.0
"""How often a build goes on after that, and how long it waits for the gateway each time."""
NO_LIMIT = {"spark.sql.thriftServer.queryTimeout": "0s"}
"""A model takes as long as it takes: only people's statements have a limit (DAYBREAK_GATEWAY_QUERY_SECONDS)."""
NO_STATISTICS = {"spark.databricks.delta.stats.collect": "false"}
"""The bounds of each file's columns, by which a query skips files, cost a ninth of a build and spare small tables nothing."""


def docs_page() -> Path:
    """The docs as one page, once they have been generated."""
    return settings().home / "dbt" / "target" / "static_index.html"


def dbt_environment(s: Settings) -> dict[str, str]:
    """The environment in which dbt finds its project, its gateway and where to put what it writes."""
    state = s.home / "dbt"
    return {
        "DBT_PROJECT_DIR": str(models(s)),
        "DBT_PROFILES_DIR": str(models(s)),
        "DBT_TARGET_PATH": str(state / "target"),
        "DBT_LOG_PATH": str(state / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DAYBREAK_GATEWAY_HOST": s.gateway_host,
        "DAYBREAK_GATEWAY_PORT": str(s.gateway_port),
        # By this prefix dbt knows a secret, and writes it nowhere.
        SECRET: given(s, Role.WRITER),
        "DAYBREAK_BUCKET": s.bucket,
        "DAYBREAK_WATERMARK_DELAY_SECONDS": str(s.watermark_delay_seconds),
        "DAYBREAK_GOLD_SPARK": json.dumps(spark_settings(s)),
        **of_dbt(s.options),
        **({"DAYBREAK_GATEWAY_TLS": "True", "DAYBREAK_GATEWAY_CA": str(ca_file(s.home))} if is_encrypted(s) else {}),
    }


def spark_settings(s: Settings) -> dict[str, str]:
    """Spark settings of dbt's own sessions; DAYBREAK_SPARK_CONF and DAYBREAK_GATEWAY_CONF override them.

    Spark's Thrift server accepts names with this prefix when a session opens; it ignores plain ones, as dbt-spark's
    `ansi`.
    """
    own = NO_LIMIT | ({**FEW_ROWS, **INLINED, **NO_STATISTICS} if s.gold_profile == "small" else {})
    return {f"set:hiveconf:{key}": value for key, value in own.items() if key not in s.of_gateway}


def version(s: Settings) -> str:
    """Hash of the project and of what it reads from the environment."""
    read = {name: value for name, value in dbt_environment(s).items() if name != SECRET}
    found = hashlib.sha256(json.dumps(read, sort_keys=True).encode())
    own = models(s)
    for file in sorted(own.rglob("*")):
        if file.suffix in (".sql", ".yml"):
            found.update(f"{file.relative_to(own)}\n".encode() + file.read_bytes())
    return found.hexdigest()


def done(s: Settings, verb: Verb) -> Path:
    """The file with the version of the last run; it lies beside an embedded metastore, to be lost together with it."""
    if verb is Verb.DOCS:
        return s.home / "dbt" / "gold-docs.version"
    return s.home / ("gateway" if s.embedded("gateway_host") else "dbt") / "gold-build.version"


def run(
    verb: Verb,
    unchanged: Callable[[Settings], Sequence[str]] = lambda s: (),
    known: Callable[[Settings], Mapping[str, str]] = lambda s: {},
) -> None:
    """Run dbt. A second run waits for the first, because both would write gold.

    `known`: more variables for this run, which are asked for under the lease, before dbt reads anything.

    Unchanged work is skipped: the docs, SQL views, and the facts of `unchanged` days (a function that is called under
    the lease). If the project has changed since the last build, or that build did not finish, everything is rebuilt.

    Raises:
        PermanentFailure: a dbt test failed; it would fail again on the same data.
        TransientFailure: dbt could not do its work: the gateway went away, or the lease is held.
    """
    s = settings()
    now, mark = version(s), done(s, verb)
    is_known = mark.exists() and mark.read_text() == now
    if verb is Verb.DOCS and is_known and docs_page().exists():
        docs.seal(docs_page())
        print("the docs are up to date", flush=True)
        return
    if verb is Verb.BUILD and not is_known:
        verb = Verb.REBUILD
    # On an external gateway, views may have been lost with its metastore.
    more = ALL_BUT_VIEWS if verb is Verb.BUILD and s.embedded("gateway_host") else ()
    with Lease(Writer.GATEWAY, s.lease_wait_seconds):
        print(f"{len(register())} tables registered in the gateway", flush=True)
        days = ",".join(unchanged(s)) if verb is Verb.BUILD else ""
        if verb is not Verb.BUILD:
            mark.unlink(missing_ok=True)
        _dbt(s, [*DBT[verb], *more], {"DAYBREAK_UNCHANGED_DAYS": days, **known(s)})
        if verb is Verb.DOCS:
            docs.seal(docs_page())
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(now)


def rebuild(s: Settings, models: Sequence[str], known: Callable[[Settings], Mapping[str, str]]) -> None:
    """Build some models anew, while their old tables serve, and test them. Raises as `run` does."""
    with Lease(Writer.GATEWAY, s.lease_wait_seconds):
        register()
        _dbt(s, [*DBT[Verb.REBUILD], "--select", *models], known(s))


def _dbt(s: Settings, words: Sequence[str], more: Mapping[str, str]) -> None:
    results = s.home / "dbt" / "target" / "run_results.json"
    results.unlink(missing_ok=True)
    with of_build(s) if Verb.BUILD in words else nullcontext(Said()) as said:
        _built(s, words, more, results, said)


def _built(s: Settings, words: Sequence[str], more: Mapping[str, str], results: Path, said: Said) -> None:
    code = _run(s, words, more)
    said.ran()
    for _ in range(RESUMED):
        if not code or failed_tests(results) or not lost(results):
            break
        _wait_for_gateway(s)
        print("the gateway is back: what was not built is built now", flush=True)
        register()
        code = _run(s, ["retry"], more)
        said.ran()
    if failed := failed_tests(results):
        raise PermanentFailure(f"dbt test failed: {', '.join(failed)}")
    if code:
        raise TransientFailure(f"dbt {' '.join(words)} ended with code {code}; its output says why")


def _run(s: Settings, words: Sequence[str], more: Mapping[str, str]) -> int:
    dbt = [sys.executable, "-m", VERIFIED] if is_encrypted(s) else [str(Path(sys.executable).with_name("dbt"))]
    command = [*dbt, "--no-use-colors", *words]
    return subprocess.run(command, env={**os.environ, **dbt_environment(s), **more}, cwd=ROOT, check=False).returncode


def _wait_for_gateway(s: Settings) -> None:
    """Until it answers again: supervisor starts it. Raises TransientFailure after BACK_SECONDS."""
    give_up = time.monotonic() + BACK_SECONDS
    while True:
        try:
            with opened():
                return
        except TransientFailure:
            if time.monotonic() > give_up:
                raise
            time.sleep(1)
