"""Airflow's logs do not grow with the platform's age."""

import os
import time
from pathlib import Path

from infra.airflow.old_logs import LOG_DAYS, remove_old


def written(folder: Path, name: str, days: float) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a line")
    at = time.time() - days * 86_400
    for path in (file, file.parent, file.parent.parent):
        os.utime(path, (at, at))
    return file


def test_only_logs_that_are_old_are_removed(tmp_path: Path) -> None:
    assert remove_old(tmp_path) == 0
    logs = tmp_path / "airflow" / "logs"
    old = written(logs, "dag_id=nightly/run_id=a/attempt=1.log", LOG_DAYS + 1)
    new = written(logs, "dag_id=nightly/run_id=b/attempt=1.log", LOG_DAYS - 1)
    (logs / "latest").symlink_to(old.parent)
    elsewhere = written(tmp_path, "elsewhere/of/another.log", 1000)
    (logs / "elsewhere").symlink_to(elsewhere.parent)
    assert remove_old(tmp_path) == 1
    assert not old.exists()
    assert new.exists()
    assert elsewhere.exists()
    # Removing a file changes its folder, whose turn comes when it is old itself.
    os.utime(old.parent, (0, 0))
    assert remove_old(tmp_path) == 0
    assert not old.parent.exists()
    remove_old(tmp_path)
    assert not (logs / "latest").is_symlink()
