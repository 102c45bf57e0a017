"""What `daybreak query` prints, of an answer that the gateway gave."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from infra.cli import look
from infra.gateway import Answer

ANSWER = Answer(("day", "share", "orders", "note"), ((date(2026, 1, 31), Decimal("0E-9"), 7, None),))


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(ask=lambda sql: ANSWER)

    monkeypatch.setattr(look, "opened", opened)


def said(*options: str) -> str:
    done = CliRunner().invoke(look.commands, ["query", "SELECT 1", *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_table_has_no_exponents_and_its_figures_stand_to_the_right() -> None:
    (row,) = (line for line in said().splitlines() if "2026-01-31" in line)
    assert row.split()[1:-1] == ["2026-01-31", "│", "0.000000000", "│", "7", "│"]


def test_csv_and_json_have_none_either_and_null_stays_null() -> None:
    assert said("--csv").splitlines() == ["day,share,orders,note", "2026-01-31,0.000000000,7,"]
    assert json.loads(said("--json")) == {"day": "2026-01-31", "share": "0.000000000", "orders": 7, "note": None}
