"""What a real Postgres holds, as Debezium writes it: any value that it can have, and the time of any transaction."""

from typing import Any

import pytest
from database_server import DatabaseServer

from infra.settings import Settings
from infra.shop.db.check import compared
from infra.shop.db.condition import notices
from infra.shop.db.connection import connected
from infra.shop.db.reading import rows_now
from infra.shop.db.tables import create
from infra.shop.db.values import days, in_utc, instant, plain

# Type, what is inserted, and what Debezium 3.7 wrote of it in a change, of a Postgres 16.
COLUMNS: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "born": ("date", [("2026-01-31", 20484), ("0044-03-15 BC", -735160), ("20000-01-01", 6585322),
                      ("infinity", 2146033979), ("-infinity", -2147472691)]),
    "at": ("timestamp", [("2026-01-31 10:00:00.123456", 1769853600123456), ("0044-03-15 12:00 BC", -63517780800000000),
                         ("20000-01-01", 568971820800000000), ("infinity", 2**63 - 1), ("-infinity", -(2**63))]),
    "at_ms": ("timestamp(3)", [("2026-01-31 10:00:00.5", 1769853600500), ("0044-03-15 12:00 BC", -63517780800000),
                               ("infinity", 9223372036825200000), ("-infinity", -9223372036832400000)]),
    "moment": ("timestamptz", [("2026-01-31 10:00:00.123456+02", "2026-01-31T08:00:00.123456Z"), ("infinity", "infinity"),
                               ("-infinity", "-infinity"), ("0044-03-15 12:00+00 BC", "-0043-03-15T12:00:00.000000Z"),
                               ("20000-01-01 00:00+00", "+20000-01-01T00:00:00.000000Z"),
                               ("0001-01-01 00:00+00", "0001-01-01T00:00:00.000000Z")]),
    "hour": ("time", [("10:00:00.123456", 36000123456), ("24:00", 86400000000)]),
    "hour_ms": ("time(3)", [("10:00:00.5", 36000500)]),
    "hour_tz": ("timetz", [("10:00:00.5+02", "08:00:00.5Z"), ("24:00+00", "24:00:00Z"), ("00:00-15", "15:00:00Z")]),
    "lasts": ("interval", [("1 year 2 mons 3 days 04:05:06.789", 37091106789000), ("-1 year 2 mons -3 days", -26557200000000),
                           ("0", 0), ("1 microsecond", 1), ("178000000 years", 2**63 - 1)]),
    "amount": ("numeric", [("1.50", "1.50"), ("NaN", "NAN"), ("Infinity", "POSITIVE_INFINITY"), ("1e50", "1" + "0" * 50),
                           ("1e-20", "0.00000000000000000001")]),
    "cents": ("numeric(10,2)", [("2.5", "2.50"), ("-0.00", "0.00")]),
    "single": ("real", [("1.5", 1.5), ("1e-30", 1e-30), ("3.4e38", 3.4e38), ("NaN", "NaN"), ("-Infinity", "-Infinity")]),
    "double": ("double precision", [("0.1", 0.1), ("1e308", 1e308), ("Infinity", "Infinity")]),
    "doc": ("json", [('{"b":1, "a": 1.0}', '{"b":1, "a": 1.0}')]),
    "doc_b": ("jsonb", [('{"b":1, "a": 1.0}', '{"a": 1.0, "b": 1}')]),
    "raw": ("bytea", [("\\xdeadbeef", "3q2+7w==")]),
    "yes": ("boolean", [("t", True)]),
    "words": ("text[]", [('{a,NULL,"b c"}', ["a", None, "b c"])]),
    "numbers": ("int[]", [("{1,NULL}", [1, None])]),
    "price": ("money", [("12.34", "12.34")]),
    "bit": ("bit(1)", [("1", True)]),
    "bits": ("bit(5)", [("10101", "FQ==")]),
    "some_bits": ("varbit", [("101", "BQ==")]),
    "padded": ("char(5)", [("ab", "ab   ")]),
    "host": ("inet", [("10.0.0.1/8", "10.0.0.1/8")]),
    "net": ("cidr", [("10.0.0.0/8", "10.0.0.0/8")]),
    "id": ("uuid", [("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")]),
    "whole": ("int4range", [("[1,5)", "[1,5)")]),
    "term": ("tstzrange", [("[2026-01-01 00:00+00,infinity)", '["2026-01-01 00:00:00+00",infinity)')]),
}  # fmt: skip
KEY = ("p-1", "nord")


@pytest.fixture(scope="module")
def s(server: DatabaseServer) -> Settings:
    return server.settings


def test_every_value_of_a_database_is_compared_as_it_is_captured(s: Settings) -> None:
    with connected(s) as own:
        for name, (kind, _) in COLUMNS.items():
            own.execute(f'ALTER TABLE stock ADD COLUMN "{name}" {kind}')
        own.execute("INSERT INTO stock VALUES ('p-1', 'nord', 1, 'infinity')")
        for number in range(max(len(values) for _, values in COLUMNS.values())):
            now = {name: values[min(number, len(values) - 1)] for name, (_, values) in COLUMNS.items()}
            written = ", ".join(f"'{sent}'" for sent, _ in now.values())
            columns = ", ".join(f'"{name}"' for name in now)
            own.execute(f"UPDATE stock SET ({columns}) = ({written})")
            rows = rows_now(s, ["stock"]).rows
            copy = {"product_id": "p-1", "warehouse": "nord", "on_hand": 1, "changed_at": "infinity"}
            copy |= {name: told for name, (_, told) in now.items()}
            found = compared("stock", "the log", rows["stock"], {KEY: copy})
            assert found.first is None
        assert compared("stock", "the log", rows["stock"], {KEY: copy | {"born": 1}}).differing == 1


def test_a_date_without_end_is_the_same_in_change_and_snapshot() -> None:
    assert [plain(number) for number in (2146033979, -622191234)] == ["infinity"] * 2
    assert [plain(number) for number in (-2147472691, -625821272)] == ["-infinity"] * 2


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("2026-01-31 10:00:00.5+00", "2026-01-31T10:00:00.500Z", True),
        ("2026-01-31 10:00:00+00", "2026-01-31T10:00:00.000001Z", False),
        ("0044-03-15 12:00:00+00 BC", "-0043-03-15T12:00:00.000Z", True),
        ("0001-03-15 12:00:00+00 BC", "0000-03-15T12:00:00Z", True),
        ("infinity", "-infinity", False),
        ("not a time", "not a time", True),
    ],
)
def test_an_instant_is_written_in_one_way(one: str, other: str, alike: bool) -> None:
    assert (instant(one) == instant(other)) is alike


def test_days_and_hours_are_counted_as_calendars_do() -> None:
    assert [days(text) for text in ("1970-01-01", "1969-12-31", "2000-02-29", "0001-01-01 BC")] == [
        0,
        -1,
        11016,
        -719528,
    ]
    assert in_utc("23:30:00-01") == "00:30:00Z"


def test_a_table_whose_identity_is_not_full_is_named(s: Settings) -> None:
    assert notices(s) == ()
    with connected(s) as own:
        own.execute("ALTER TABLE products REPLICA IDENTITY DEFAULT")
        (said,) = notices(s)
        assert "public.products is not FULL" in said
        assert said.endswith("daybreak restart connect")
        # What a start of the program does first.
        create(s)
        assert notices(s) == ()


@pytest.mark.parametrize(
    ("stamp", "year"),
    [("infinity", 9999), ("20000-01-01", 9999), ("-infinity", 1), ("0044-03-15 BC", 1), ("2026-07-31", 2026)],
)
def test_a_time_that_python_cannot_hold_stops_no_reader(s: Settings, stamp: str, year: int) -> None:
    with connected(s) as own:
        own.execute("SET timezone = 'Asia/Tokyo'")
        (found,) = own.execute(f"SELECT '{stamp}'::timestamptz").fetchone() or ()
    assert found.year == year
