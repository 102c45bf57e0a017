"""Where dbt finds its project: that of the project that comes along is in the tree, any other's is put together in its home.

Data flow: Settings -> the folder with dbt_project.yml
Run: python -m batch.catalog
"""

from pathlib import Path

from infra.installation import DBT
from infra.registry import DEFAULT
from infra.settings import Settings


def models(s: Settings) -> Path:
    """The folder. Of a project that did not come along, `batch.catalog` writes it."""
    return DBT if s.project == DEFAULT else s.home / "dbt" / "project"
