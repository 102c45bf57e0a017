"""Airflow keeps the log of every task and of every reading of a DAG file for ever: the old ones are removed.

Data flow: `<home>/airflow/logs` -> files of the last LOG_DAYS
Run: pytest tests/infra/test_airflow_logs.py
"""

import time
from pathlib import Path

LOG_DAYS = 90
"""Half a kilobyte every two minutes per DAG file, and a hundred per night: some 100 MB."""


def remove_old(home: Path, days: int = LOG_DAYS) -> int:
    """Remove log files that nothing has been written to for so many days, and folders that are empty then; how many files."""
    logs, oldest, removed = home / "airflow" / "logs", time.time() - days * 86_400, 0
    if not logs.exists():
        return 0
    # The deepest first, so that a folder is empty when its turn comes; a link (`latest`) is not followed.
    for path in sorted(logs.rglob("*"), key=lambda one: len(one.parts), reverse=True):
        if path.is_symlink():
            if not path.exists():
                path.unlink()
        elif path.is_file():
            if path.stat().st_mtime < oldest:
                path.unlink()
                removed += 1
        elif path.stat().st_mtime < oldest and not any(path.iterdir()):
            path.rmdir()
    return removed
