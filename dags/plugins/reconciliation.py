"""The nights' reports in Airflow: the newest in the menu, and each on the tab of its own run.

Data flow: `<home>/reports/<day>.html`, written by `python -m batch.report` -> /reconciliation/
Run: daybreak report --date 2026-01-31 --open (the same page without Airflow)
"""

import os
from datetime import UTC, date, datetime, time, timedelta
from html import escape
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import requires_access_dag
from airflow.models.dagrun import DagRun
from airflow.plugins_manager import AirflowPlugin
from fastapi import Depends, FastAPI
from fastapi.responses import RedirectResponse, Response

from dags.day_of_run import day_of
from dags.own_page import served, told

ROOT = Path(__file__).resolve().parents[2]
REPORTS = Path(os.environ.get("DAYBREAK_HOME", ROOT / ".daybreak")) / "reports"
DAG = "nightly"

NOT_YET = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>No report yet</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 3em }}
</style>
<h1>No report {of}yet</h1><p>{why}</p></html>"""
HOW = """A report is written near the end of a run of the DAG <code>nightly</code>, after the day is compared, or by
<code>daybreak report --date {day}</code>."""

# Reports hold business figures, so only users who may see the DAG's runs may see them.
app = FastAPI(
    title="Reconciliation",
    docs_url=None,
    redoc_url=None,
    openapi_url=None,
    dependencies=[Depends(requires_access_dag(method="GET", access_entity=DagAccessEntity.RUN, param_dag_id=DAG))],
)


@app.get("/")
def newest() -> Response:
    """The report of the latest day."""
    found = sorted(REPORTS.glob("????-??-??.html"))
    return served(found[-1]) if found else _not_yet(None)


@app.get("/{day}.html")
def of_day(day: date) -> Response:
    """The report of a day. Reports link to each other by this file name, here and in the bucket."""
    file = REPORTS / f"{day}.html"
    return served(file) if file.exists() else _not_yet(day)


@app.get("/run")
def of_run(dag_id: str, run_id: str) -> Response:
    """The report of the day that a run settles. The day is taken from the run's dates, not from its name."""
    if dag_id != DAG:
        return told(NOT_YET.format(of="", why=f"Only runs of the DAG <code>{DAG}</code> have reports."))
    run = next(iter(DagRun.find(dag_id=DAG, run_id=[run_id])), None)
    if run is None:
        return told(NOT_YET.format(of="", why=f"The run <code>{escape(run_id)}</code> is unknown or has no day."))
    return of_day(date.fromisoformat(day_of(run)))


@app.get("/night/{day}")
def night(day: date) -> Response:
    """Redirect to the latest run of a day; to the list of the DAG's runs if the day has none."""
    start = datetime.combine(day, time(), UTC)
    until = start + timedelta(days=1, microseconds=-1)
    runs = DagRun.find(dag_id=DAG, logical_start_date=start, logical_end_date=until)
    latest = max(runs, key=lambda run: run.id, default=None)
    return RedirectResponse(f"/dags/{DAG}/runs/{quote(latest.run_id, safe='')}" if latest else f"/dags/{DAG}/runs")


def _not_yet(day: date | None) -> Response:
    return told(NOT_YET.format(of=f"of {day} " if day else "", why=HOW.format(day=day or "D")))


def _icon(colour: str) -> str:
    """A sunrise as a data URI, because the menu loads icons without the user's login."""
    lines = "M2 18h20M5 14a7 7 0 0 1 14 0M12 3v2M3.5 8l1.6 1.2M20.5 8l-1.6 1.2M6 21.5h12"
    drawn = f"<path d='{lines}' fill='none' stroke='{colour}' stroke-width='1.8' stroke-linecap='round'/>"
    return "data:image/svg+xml," + quote(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>{drawn}</svg>")


ICONS = {"icon": _icon("#26405f"), "icon_dark_mode": _icon("#e3ebf7")}


class Reconciliation(AirflowPlugin):
    """The page, its entry in the menu, and its tab on a run."""

    name = "reconciliation"
    fastapi_apps: ClassVar = [{"app": app, "url_prefix": "/reconciliation", "name": "reconciliation"}]
    external_views: ClassVar = [
        {
            "name": "Nights",
            "href": "/reconciliation/",
            "destination": "nav",
            "nav_top_level": True,
            "url_route": "reconciliation",
            **ICONS,
        },
        {
            "name": "Reconciliation",
            "href": "/reconciliation/run?dag_id={DAG_ID}&run_id={RUN_ID}",
            "destination": "dag_run",
            "url_route": "reconciliation-of-run",
            **ICONS,
        },
    ]
