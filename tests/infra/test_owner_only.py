"""What the platform writes is its owner's alone: a process of ours, what supervisor starts, and a home that was open before.

Data flow: modes of files -> none that group or others may use
Run: pytest tests/infra/test_owner_only.py
"""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

from infra import owner_file, owner_only
from infra.services import airflow, configuration, place
from infra.settings import ROOT, Settings
from infra.spark_conf import spark_defaults

WRITES = """
from pathlib import Path
from infra.failures import reported
with reported():
    Path("new").mkdir()
    Path("new/file").touch()
"""


SETS_MODES = re.compile(r"\bchmod\(|\bmode=(0o|OWNER)")
THE_ONE_WAY = ("infra/owner_only.py", "infra/owner_file.py")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_process_of_ours_writes_for_its_owner_alone(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", WRITES], cwd=tmp_path, env=env, umask=0o022, check=True)
    assert [mode(tmp_path / name) for name in ("new", "new/file")] == [0o700, 0o600]


def test_nothing_else_of_ours_sets_modes() -> None:
    sources = [path for layer in ("infra", "streaming", "batch", "dags") for path in (ROOT / layer).rglob("*.py")]
    # Set-up installs what anybody may have.
    own = [path.relative_to(ROOT).as_posix() for path in sources if SETS_MODES.search(path.read_text())]
    assert sorted(name for name in own if not name.startswith("infra/setup/")) == sorted(THE_ONE_WAY)


def test_a_file_that_holds_a_secret_is_shut_whatever_the_umask(tmp_path: Path) -> None:
    for file in (tmp_path / "new", tmp_path / "old"):
        (tmp_path / "old").touch(mode=0o644)
        owner_file.put(file, "secret")
        assert mode(file) == 0o600


def test_what_sets_modes_itself_is_told_them(tmp_path: Path) -> None:
    s = Settings(home=tmp_path)
    assert "\numask=077\n" in configuration.render(s, [])
    assert spark_defaults(s)["spark.hadoop.fs.permissions.umask-mode"] == "077"
    of_airflow = airflow.environment(s)
    assert of_airflow["AIRFLOW__LOGGING__FILE_TASK_HANDLER_NEW_FOLDER_PERMISSIONS"] == "0o700"


def test_a_home_that_was_open_is_closed_with_all_in_it(tmp_path: Path) -> None:
    home, program, elsewhere = tmp_path / "home", tmp_path / "home" / "bin" / "program", tmp_path / "elsewhere"
    for folder in (home / "logs", home / "bin"):
        folder.mkdir(parents=True)
    for file in (home / "logs" / "a.log", program, elsewhere):
        file.touch()
        file.chmod(0o755)
    (home / "logs" / "link").symlink_to(elsewhere)
    home.chmod(0o755)
    place.prepare(Settings(home=home))
    assert [mode(path) for path in (home, home / "logs", home / "logs" / "a.log")] == [0o700] * 3
    # What set-up has installed is nobody's secret, and a link leads to something else.
    assert [mode(path) for path in (program, elsewhere)] == [0o755] * 2


def test_a_closed_home_is_not_searched_at_each_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "file").touch()
    (home / "file").chmod(0o644)
    assert not owner_only.narrow(home)
    assert mode(home / "file") == 0o644
