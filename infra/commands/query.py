"""Commands that read: query the SQL gateway, list the tables, serve the dbt docs.

Data flow: gateway, lake, dbt docs -> screen
Run: daybreak query "SELECT day, status, revenue_cents FROM gold.fct_daily_orders ORDER BY day"
"""

import csv
import functools
import json
import re
import secrets
import subprocess
import sys
import webbrowser
from dataclasses import asdict
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Grid

from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.lake import listing
from infra.page.policy import WHO_FRAMES
from infra.settings import ROOT, settings
from infra.sql.gateway import Answer, opened
from infra.sql.gold import docs_page

READS = re.compile(
    r"(\s|--.*\n|/\*(.|\n)*?\*/|\()*(SELECT|WITH|VALUES|TABLE|SHOW|DESC|DESCRIBE|EXPLAIN)\b", re.IGNORECASE
)
"""How a statement that reads begins, behind comments and brackets."""
WRITES = re.compile(r"\b(INSERT\s+(INTO|OVERWRITE)|MERGE\s+INTO|DELETE\s+FROM|UPDATE\s+[\w.`]+\s+SET)\b", re.IGNORECASE)
"""How one writes that begins with WITH or EXPLAIN."""
commands = typer.Typer()
console = Screen()


@commands.command()
def query(
    sql: Annotated[str, typer.Argument(help="One statement, e.g. SHOW TABLES IN gold.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per row.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="CSV with a header.")] = False,
) -> None:
    """Run one SQL statement that reads, in the gateway, and print its result."""
    if not READS.match(sql) or WRITES.search(sql):
        raise PermanentFailure(
            "this command only reads (SELECT, WITH, SHOW, DESCRIBE, EXPLAIN): each table has one program that writes it"
        )
    most = settings().query_rows
    with opened() as gateway:
        answer = gateway.execute(sql, most)
    if as_json:
        for row in answer.rows:
            print(json.dumps(dict(zip(answer.columns, row, strict=True)), default=_text))
    elif as_csv:
        csv.writer(sys.stdout).writerows([answer.columns, *(map(_text, row) for row in answer.rows)])
    else:
        console.print(_grid(answer))
    if not answer.is_whole:
        raise PermanentFailure(
            f"these are the first {most:,} rows only: ask for fewer (LIMIT, WHERE), or for more with DAYBREAK_QUERY_ROWS"
        )


@commands.command()
def tables(
    name: Annotated[str | None, typer.Argument(help="A table, e.g. silver.events: shows its columns.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per table, or column.")] = False,
) -> None:
    """List the tables of the lake with rows, writer and description, or the columns of one table."""
    found = [asdict(one) for one in (listing.columns(settings(), name) if name else listing.listed(settings()))]
    if as_json:
        for one in found:
            print(json.dumps(one))
        return
    shown = ("name", "type", "description") if name else ("name", "rows", "writer", "description")
    grid = Grid(*shown)
    for column in grid.columns:
        column.overflow = "fold"
        column.justify = "right" if column.header == "rows" else "left"
    for one in found:
        grid.add_row(*[f"{one[key]:,}" if key == "rows" else one[key] for key in shown])
    console.print(grid)
    if name and name.startswith("gold."):
        console.print("the dbt docs describe the columns of gold: run `daybreak docs`")


@commands.command()
def docs(
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = False,
) -> None:
    """Serve the dbt docs on this machine until Ctrl-C; generates them first if there are none."""
    page = docs_page()
    if not page.exists():
        console.print("no dbt docs yet: generating them")
        code = subprocess.run([sys.executable, "-m", "batch.gold", "docs"], cwd=ROOT, check=False).returncode
        if code:
            raise typer.Exit(code)
    port = settings().docs_port
    # Only who was told the address sees the page; the folder has more.
    path = f"/{secrets.token_urlsafe(16)}"
    handler = functools.partial(_OnePage, path, page)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as taken:
        raise PermanentFailure(f"port {port} for the docs is taken (DAYBREAK_DOCS_PORT): {taken.strerror}") from taken
    address = f"http://127.0.0.1:{port}{path}"
    console.print(f"dbt docs: {address} (Ctrl-C ends it)", soft_wrap=True)
    if browser:
        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        console.print("ended")
    finally:
        server.server_close()


class _OnePage(BaseHTTPRequestHandler):
    """Serves one file at one path, without a line per request."""

    def __init__(self, path: str, page: Path, *of_request: Any) -> None:
        self._at, self._page = path, page
        super().__init__(*of_request)

    def do_GET(self) -> None:
        """The page as it is now."""
        is_it = secrets.compare_digest(self.path.encode(), self._at.encode())
        self.send_response(200 if is_it else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", WHO_FRAMES)
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(self._page.read_bytes() if is_it else b"")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


def _grid(answer: Answer) -> Grid:
    grid = Grid(*answer.columns or ("done",))
    for index, column in enumerate(grid.columns):
        column.overflow = "fold"
        if answer.rows and all(isinstance(row[index], int | float | Decimal) for row in answer.rows):
            column.justify = "right"
    for row in answer.rows:
        grid.add_row(*map(_text, row))
    return grid


def _text(value: Any) -> str:
    """As people write it: nothing for null, and a decimal without an exponent (`str` turns nine zeros into 0E-9)."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return "" if value is None else str(value)
