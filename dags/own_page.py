"""How a plugin serves a page of ours: never an old copy, as what it is, in no frame but Airflow's own.

Data flow: a file -> an answer; the page itself says what it may run (infra/page/policy.py)
Run: pytest tests/dags/test_lab.py
"""

from pathlib import Path

from fastapi.responses import FileResponse, HTMLResponse, Response

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
NO_SCRIPT = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"


def served(file: Path) -> Response:
    """A page that has been written."""
    return FileResponse(file, media_type="text/html", headers=HEADERS)


def told(text: str) -> Response:
    """A page of a few words, without a script."""
    return HTMLResponse(text, headers=HEADERS | {"Content-Security-Policy": NO_SCRIPT})
