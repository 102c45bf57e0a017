"""The dbt docs as a page of Airflow's menu.

Data flow: `<home>/dbt/target/static_index.html`, written by the task dbt_docs -> /dbt-docs/
Run: daybreak docs (the same page without Airflow)
"""

import os
from pathlib import Path
from typing import ClassVar

from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
from airflow.api_fastapi.core_api.security import requires_access_view
from airflow.plugins_manager import AirflowPlugin
from fastapi import Depends, FastAPI
from fastapi.responses import Response

from dags.own_page import served, told

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(os.environ.get("DAYBREAK_HOME", ROOT / ".daybreak")) / "dbt" / "target" / "static_index.html"

NOT_YET = """<!doctype html><title>dbt docs</title>
<body style="font-family: sans-serif; margin: 3em">
<h1>No dbt docs yet</h1>
<p>They are written by the task <code>dbt_docs</code> at the end of a run of the DAG <code>nightly</code>,
or by <code>daybreak docs</code>.</p>"""

LOGGED_IN = requires_access_view(AccessView.WEBSITE)
"""Whoever may see Airflow's own pages."""
app = FastAPI(title="dbt docs", docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(LOGGED_IN)])


@app.get("/")
def page() -> Response:
    """The latest docs as one page; or, if there are none, a page that says how to write them."""
    if PAGE.exists():
        return served(PAGE)
    return told(NOT_YET)


class DbtDocs(AirflowPlugin):
    """A page, and its entry in the menu."""

    name = "dbt_docs"
    fastapi_apps: ClassVar = [{"app": app, "url_prefix": "/dbt-docs", "name": "dbt docs"}]
    external_views: ClassVar = [
        {"name": "dbt docs", "href": "/dbt-docs/", "destination": "nav", "url_route": "dbt-docs-page"}
    ]
