"""The files of the catalog: path -> text; a test compares them with what is committed.

Data flow: generators -> path from the project's root -> text
Run: pytest tests/batch/test_catalog.py
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from batch.catalog import public_names, sources, topics, views
from batch.night.all_tables import night_tables
from infra import postgres_rights, settings_table
from infra.airflow import rights as of_airflow
from infra.kafka import rights as of_kafka
from infra.lake import rights as of_lake
from infra.settings import ROOT
from infra.sql import rights
from streaming.all_tables import stream_tables
from streaming.contracts import CONTRACTS
from streaming.project import folder
from streaming.views import VIEWS

MADE = "made by make catalog"
"""The first line of every wholly generated file contains this text."""

TABLES = (settings_table, rights, of_kafka, of_lake, postgres_rights, of_airflow)
"""Who makes a part of infra/README.md."""
FOLDERS = ("dbt/models/sources", "dbt/models/staging", "dbt/models/marts", "dbt/macros")


def files() -> dict[str, str]:
    """Every generated file. Raises ValueError if a view and a topic have one name."""
    if twice := sorted(set(VIEWS) & set(CONTRACTS)):
        raise ValueError(
            f"{', '.join(twice)} is the name of a view and of a topic, so dbt would have two models of one name: "
            "rename the view or the topic"
        )
    own = folder().shown
    page = ROOT / settings_table.PAGE
    made = page.read_text()
    for table in TABLES:
        made = table.page(made)
    return {
        **{f"dbt/models/sources/{name}.yml": text for name, text in sources.files((*stream_tables(), *night_tables()))},
        **dict(_under("dbt", views.files(VIEWS.values(), f"{own}/views"))),
        **dict(_under("dbt", topics.files(CONTRACTS.values(), f"{own}/contracts"))),
        str(page.relative_to(ROOT)): made,
        public_names.PAGE: public_names.page(),
    }


def stale() -> list[str]:
    """Generated files in the tree whose view or topic no longer exists."""
    known = files()
    found = (file for folder in FOLDERS for file in sorted((ROOT / folder).iterdir()) if file.is_file())
    made = (str(file.relative_to(ROOT)) for file in found if MADE in file.read_text().split("\n", 1)[0])
    return [path for path in made if path not in known]


def _under(folder: str, found: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((f"{folder}/{path}", text) for path, text in found)


def put(root: Path, found: Mapping[str, str], gone: Iterable[str], shown: Path) -> None:
    """Write what has changed of these files below `root`, remove what is gone, and say so; `shown`: how the root is called."""
    for path, text in found.items():
        file = root / path
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            print(f"wrote {shown / path}")
    for path in gone:
        (root / path).unlink()
        print(f"removed {shown / path}")
