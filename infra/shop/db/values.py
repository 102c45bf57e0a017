"""Values of Postgres as Debezium writes them, so that a row is compared with its copies: any value, infinity and years BC too.

Data flow: a server's text -> the value of a change event; both -> one text
Run: pytest tests/infra/test_values.py
Source: Debezium 3.7, "PostgreSQL connector": data type mappings (adaptive times, decimals as strings).
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from psycopg import Column
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.postgres import types

AT = re.compile(r"([+-]?)(\d{4,})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|\+00(?::00)?)?( BC)?")
OF_DAY = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?)?")
DAY = re.compile(r"(\d{4,})-(\d\d)-(\d\d)( BC)?")
SPAN = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d+))?S)?)?"
)
SECOND, SECONDS_OF_DAY = 1_000_000, 86_400
MILLIS = 3
"""Decimals of a second."""
MONTH_DAYS = Decimal("30.4375")
"""Debezium's length of a month."""
MOST = 2**63 - 1
IN_MILLIS = {MOST: 9_223_372_036_825_200_000, -MOST - 1: -9_223_372_036_832_400_000}
"""An infinite timestamp as microseconds -> as milliseconds."""
NO_DAY = {2_146_033_979: "infinity", -622_191_234: "infinity", -2_147_472_691: "-infinity", -625_821_272: "-infinity"}
"""An infinite date in a change, and in a snapshot."""
NOT_NUMBERS = {"NaN": "NAN", "Infinity": "POSITIVE_INFINITY", "-Infinity": "NEGATIVE_INFINITY"}
SETTINGS = "SET timezone = 'UTC'; SET datestyle = ISO; SET intervalstyle = iso_8601; SET bytea_output = hex"
"""How a session must write for these functions."""


def instant(text: str) -> str:
    """A timestamptz, written by Postgres in UTC or by Debezium: one text; any other text as it is."""
    found = AT.fullmatch(text)
    if not found:
        return text
    sign, year, month, day, hour, minute, second, fraction, bc = found.groups()
    number = int(f"{sign}{year}") if not bc else 1 - int(year)
    digits = (fraction or "").rstrip("0")
    return f"{number:04d}-{month}-{day}T{hour}:{minute}:{second}{'.' + digits if digits else ''}Z"


def days(text: str) -> int | str:
    """A date as days since 1970, in the Gregorian calendar before its time too."""
    found = DAY.fullmatch(text)
    if not found:
        return text
    year, month, day = (int(one) for one in found.groups()[:3])
    year = 1 - year if found[4] else year
    # The calendar repeats every 400 years, which are 146,097 days.
    shift, within = divmod(year - 1, 400)
    return date(within + 1, month, day).toordinal() + shift * 146_097 - date(1970, 1, 1).toordinal()


def micros(text: str) -> int:
    """A timestamp without a zone as microseconds since 1970."""
    if text in ("infinity", "-infinity"):
        return MOST if text == "infinity" else -MOST - 1
    found = AT.fullmatch(text)
    assert found, text
    whole = days(f"{found[2]}-{found[3]}-{found[4]}{found[9] or ''}")
    assert isinstance(whole, int)
    seconds = int(found[5]) * 3600 + int(found[6]) * 60 + int(found[7])
    return (whole * SECONDS_OF_DAY + seconds) * SECOND + _fraction(found[8])


def of_day(text: str) -> int:
    """A time without a zone as microseconds since midnight."""
    found = OF_DAY.fullmatch(text)
    assert found, text
    return (int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3])) * SECOND + _fraction(found[4])


def in_utc(text: str) -> str:
    """A time with a zone, in UTC; 24:00 stays."""
    found = OF_DAY.fullmatch(text)
    assert found, text
    zone = sum(int(part or 0) * unit for part, unit in zip(found.groups()[5:], (3600, 60, 1), strict=True))
    seconds = of_day(text.partition("+")[0].partition("-")[0]) // SECOND - (zone if found[5] == "+" else -zone)
    seconds = seconds if seconds == SECONDS_OF_DAY else seconds % SECONDS_OF_DAY
    digits = (found[4] or "").rstrip("0")
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}{'.' + digits if digits else ''}Z"


def span(text: str) -> int:
    """An interval as microseconds, by the connector's mean month."""
    found = SPAN.fullmatch(text)
    assert found, text
    years, months, weeks, some, hours, minutes = (int(one or 0) for one in found.groups()[:6])
    whole = (years * 12 + months) * MONTH_DAYS + weeks * 7 + some
    seconds = int(found[8] or 0) * SECOND + _fraction(found[9])
    clock = (hours * 3600 + minutes * 60) * SECOND + (-seconds if found[7] else seconds)
    return max(-MOST - 1, min(MOST, int(whole * SECONDS_OF_DAY * SECOND) + clock))


def real(text: str) -> float | str:
    """A binary float; one that is no number stays text."""
    return float(text) if text[-1].isdigit() else text


def bits(text: str) -> str:
    """A bit string as the bytes of its number, the smallest first."""
    number = int(text or "0", 2)
    return b64encode(number.to_bytes((len(text) + 7) // 8, "little")).decode()


def plain(value: Any) -> str | None:
    """A value of a change event, or of `captured`, as text that does not depend on where it was read."""
    if isinstance(value, list):
        return str([plain(one) for one in value])
    if isinstance(value, datetime):
        value = value.astimezone(UTC).isoformat()
    if isinstance(value, str):
        return instant(value)
    return None if value is None else NO_DAY.get(value, str(value)) if isinstance(value, int) else str(value)


def _fraction(digits: str | None) -> int:
    return int((digits or "").ljust(6, "0")[:6])


CAPTURED: Mapping[str, Callable[[str], Any]] = {
    "timestamptz": instant,
    "timestamp": micros,
    "date": days,
    "time": of_day,
    "timetz": in_utc,
    "interval": span,
    "numeric": lambda text: NOT_NUMBERS.get(text, text),
    "float4": real,
    "float8": real,
    "money": lambda text: re.sub(r"[^0-9.-]", "", text),
    "bytea": lambda text: b64encode(bytes.fromhex(text.removeprefix("\\x"))).decode(),
    "bit": lambda text: text == "1" if len(text) == 1 else bits(text),
    "varbit": bits,
    **dict.fromkeys(("json", "jsonb", "inet", "cidr", "uuid"), str),
    **dict.fromkeys(("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"), str),
}
"""Type -> the value of a change event, from the server's text; other types are as psycopg reads them."""


def read_as_captured(adapters: AdaptersMap) -> None:
    """Let a cursor read values like that; `in_its_unit` has to follow."""
    for name, way in CAPTURED.items():
        adapters.register_loader(name, _loader(way))


def in_its_unit(value: Any, column: Column) -> Any:
    """A time of day or a timestamp with at most three decimals is written in milliseconds."""
    is_coarse = column.precision is not None and column.precision <= MILLIS
    if value is None or not is_coarse or column.type_code not in (types["timestamp"].oid, types["time"].oid):
        return value
    return IN_MILLIS.get(value, value // 1000)


def _loader(way: Callable[[str], Any]) -> type[Loader]:
    class Captured(Loader):
        def load(self, data: Buffer) -> Any:
            return way(bytes(data).decode())

    return Captured
