"""The labs' page as an entry of Airflow's menu: what the newest run of each lab measured.

Data flow: `<home>/lab/index.html`, written by `daybreak lab` -> /lab/
Run: daybreak lab delivery
"""

import os
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from airflow.api_fastapi.auth.managers.models.resource_details import AccessView
from airflow.api_fastapi.core_api.security import requires_access_view
from airflow.plugins_manager import AirflowPlugin
from fastapi import Depends, FastAPI
from fastapi.responses import Response

from dags.own_page import served, told

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(os.environ.get("DAYBREAK_HOME", ROOT / ".daybreak")) / "lab" / "index.html"

NOT_YET = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>No lab yet</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; margin: 3em }
</style>
<h1>No lab has been run yet</h1>
<p>A lab measures what Kafka promises, on the running broker. Run <code>daybreak lab delivery</code> or
<code>daybreak lab groups</code>; each takes less than a minute, and its result is then here.</p></html>"""

LOGGED_IN = requires_access_view(AccessView.WEBSITE)
"""Whoever may see Airflow's own pages."""
app = FastAPI(title="Lab", docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(LOGGED_IN)])


@app.get("/")
def page() -> Response:
    """The newest results as one page; or, if no lab has been run, a page that says how to run one."""
    if PAGE.exists():
        return served(PAGE)
    return told(NOT_YET)


def _icon(colour: str) -> str:
    """A flask as a data URI, because the menu loads icons without the user's login."""
    lines = "M9 3h6M10 3v6L4.5 18.5A1.7 1.7 0 0 0 6 21h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3M7.5 15h9"
    style = "stroke-width='1.8' stroke-linecap='round' stroke-linejoin='round'"
    drawn = f"<path d='{lines}' fill='none' stroke='{colour}' {style}/>"
    return "data:image/svg+xml," + quote(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>{drawn}</svg>")


class Lab(AirflowPlugin):
    """A page, and its entry in the menu beside *Nights*."""

    name = "lab"
    fastapi_apps: ClassVar = [{"app": app, "url_prefix": "/lab", "name": "lab"}]
    external_views: ClassVar = [
        {
            "name": "Lab",
            "href": "/lab/",
            "destination": "nav",
            "nav_top_level": True,
            "url_route": "lab-page",
            "icon": _icon("#26405f"),
            "icon_dark_mode": _icon("#e3ebf7"),
        }
    ]
