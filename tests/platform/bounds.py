"""What a platform writes outside its data, file by file, and why it does not grow for ever: who adds a file adds its bound.

Data flow: a home after a platform's tests -> files that are not listed, and lists that are larger than they may be
Run: pytest tests/platform/served/test_15_bounds.py
"""

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path


@dataclass(frozen=True)
class Bound:
    """Files, by a pattern of their path in the home, their bound in MB all together, and what holds it.

    `*` stands for / too, but a pattern without / is of files in the home itself.
    """

    files: str
    mb: int
    why: str


DATA = (
    *("store/*", "minio/*", "kafka/*", "postgres/*", "queue/data/*", "followers/*", "checkpoints*/*"),
    # A page a day, as the bucket has them.
    "reports/*.html",
    # Of the tests.
    *(
        "failpoints/*",
        "run/*ledger.jsonl",
        "*.jsonl",
        "logs/nights.log",
        "logs/deployed.log",
    ),
)
"""What the platform is there to keep: by retention, DAYBREAK_KEEP_DAYS, compaction and DAYBREAK_SLOT_MB."""
LOG = "supervisor begins a new file at 20 MB and keeps two older ones"
BOUNDS = (
    Bound("logs/*-audit.jsonl*", 40, "at 5 MB the file becomes .1: infra/services/refusals.py, infra/sql/java"),
    Bound("logs/*-audit.log*", 40, "the same by Kafka: infra/kafka/log4j.py"),
    Bound("logs/prepare.log", 5, "written anew each time"),
    Bound("logs/*.log*", 60 * 22, LOG),
    Bound("airflow/logs/*", 200, "90 days: infra/airflow/old_logs.py"),
    Bound("airflow/*", 1, "configuration"),
    Bound("dbt/logs/*", 60, "dbt begins a new file at 10 MB and keeps five older ones"),
    Bound("dbt/*", 200, "the last run"),
    Bound("gateway/metastore/*", 200, "as many entries as the lake has tables"),
    Bound("gateway/spill/*", 4096, "DAYBREAK_GATEWAY_SPILL_MB; empty at each start"),
    Bound("gateway/*", 5, "configuration; Hive's folders and Derby's log begin anew at each start"),
    Bound("lab/*/*", 1000, "while a lab runs; what a killed one leaves goes after a week: infra/left_behind.py"),
    Bound("lab/*", 5, "the newest result of each lab"),
    Bound("tmp/*", 4096, "while a program runs; what a killed one leaves goes at the next start, or after a week"),
    Bound("spark/code-*.zip", 25, "the newest five: infra/shipped_code.py"),
    Bound("spark/*", 1, "configuration"),
    Bound("problems/*", 5, "one file for each check, with 20 rows for each problem"),
    Bound("run/*", 5, "what each program said last"),
    *(Bound(f"{folder}/*", 1, "configuration") for folder in ("connect", "cache", "queue", "*-clients")),
    Bound("definitions.json", 1, "of the code of now"),
    *(Bound(name, 1, "configuration") for name in (".*.lock", "*.env", "*.conf", "*.json")),
)
"""The first that fits counts."""


def _fits(name: str, pattern: str) -> bool:
    return fnmatch(name, pattern) and ("/" in name) == ("/" in pattern)


def unbounded(home: Path) -> list[str]:
    """Sentences about files outside the data that nothing bounds, and about bounds that do not hold."""
    sizes: Counter[Bound] = Counter()
    faults = []
    for file in home.rglob("*"):
        name = str(file.relative_to(home))
        # What set-up has put there is linked.
        if file.is_symlink() or not file.is_file() or any(_fits(name, pattern) for pattern in DATA):
            continue
        bound = next((one for one in BOUNDS if _fits(name, one.files)), None)
        if bound is None:
            faults.append(f"{name}: how large may it become, and what holds that?")
        else:
            sizes[bound] += file.stat().st_size
    return faults + [
        f"{one.files}: {size >> 20} MB, and {one.mb} at most" for one, size in sizes.items() if size > one.mb << 20
    ]
