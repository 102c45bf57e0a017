"""Where the platform's own files are: in a clone, or in the site-packages of an environment that its wheel was installed into.

Data flow: this file's place -> folders of code, of dbt's models, and of what set-up fetches and builds
Run: make setup, or where the wheel is installed: daybreak setup

Only the standard library: set-up runs before there is any package.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The folder of our packages; a clone's root."""
IN_WHEEL = ROOT / "infra" / "sql" / "dbt"
"""Where a wheel has the clone's `dbt/`, which would be dbt's own package among the others."""
IS_CLONE = not IN_WHEEL.is_dir()
DBT = ROOT / "dbt" if IS_CLONE else IN_WHEEL
"""The dbt project of the one that comes along, and what it shares with all others."""
STATE = ROOT / ".daybreak" if IS_CLONE else Path(sys.prefix) / "share" / "daybreak"
"""Folder of `bin`, `jars`, `tools` and `cache`, which set-up fills. An environment has its own: jars and archived classes are
those of its Spark. It is gone with the environment, and stays when the package is upgraded."""
VENV = ROOT / ".venv" if IS_CLONE else Path(sys.prefix)
SET_UP = "make setup" if IS_CLONE else "daybreak setup"
"""The command that fills them."""
PACKAGES = ("infra", "streaming", "batch", "dags")
"""The floors, each a package. In site-packages they have neighbours."""
