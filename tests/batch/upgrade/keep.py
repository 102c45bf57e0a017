"""Keep a small home of the platform as it is now, for the test that later versions read it.

Data flow: a small day of the shop -> a lake settled by this code, and small files beside it -> tests/batch/upgrade/kept.tar.xz
Run: python -m tests.batch.upgrade.keep

Once per version that teams have: a new one would hide what the last change broke.
"""

import json
import os
import tarfile
from contextlib import ExitStack
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from batch.days.day import Day
from batch.night.driver import session
from infra import options, problems, project
from infra.lake import arrow_tables, tables
from infra.settings import ROOT, load, settings
from streaming.positions.checkpoint import Checkpoints
from streaming.versions import generation
from streaming.versions.definitions import definitions
from tests.bench.oracle import measure
from tests.bench.oracle.day import fill, records, shop, write_log
from tests.bench.oracle.run import OnDisk

FILE = Path(__file__).with_name("kept.tar.xz")
DAY = Day(date(2026, 1, 30))
EVENTS, SEED = 600, 3
"""A day: with the days around it, whose events its rows may need, some hundred."""
PROBLEM = problems.Problem(
    "log.gap/orders-0",
    "two offsets are gone",
    "daybreak gaps",
    2,
    ("orders-0 at 7",),
    datetime(2026, 1, 31, tzinfo=UTC),
)
LEFT_OUT = ("jars", "tmp", "spark", "records.parquet")


def keep(home: Path) -> None:
    """Fill a home: the lake in `lake/`, the checkpoint's own files, and what programs note in files."""
    os.environ |= {"DAYBREAK_HOME": str(home), "DAYBREAK_SPARK_MASTER": "local[2]"}
    settings.cache_clear()
    lake = home / "lake"
    lake.mkdir()
    (home / "jars").symlink_to(ROOT / ".daybreak" / "jars")
    own = OnDisk(home=lake)
    with ExitStack() as stack:
        stack.enter_context(patch.object(tables, "settings", lambda: own))
        log = write_log(shop(DAY, EVENTS, SEED), home)
        spark = session()
        fill(spark, DAY, log, records(spark, home))
        measure.night(spark, DAY, log, home)
        versions = dict(definitions(spark))
        generation.settled(Checkpoints(spark), versions)
        for name in sorted(one.parent.relative_to(lake).as_posix() for one in lake.rglob("_delta_log")):
            print(name, arrow_tables.latest(next(t for t in known() if t.id == name)).count())
        spark.stop()
    s = load()
    project.keep(s)
    problems.keep(s, "night/archive", [PROBLEM])
    (home / options.OPTIONS_FILE).write_text("DAYBREAK_OPTIONS=queue\n")
    (home / "definitions.json").write_text(json.dumps([["a hash of the code", versions]], indent=1))


def known() -> list[tables.Table]:
    """Every table of this code."""
    from batch.night.all_tables import night_tables
    from streaming.all_tables import stream_tables

    return [*stream_tables(), *night_tables()]


def pack(home: Path) -> None:
    """Write the archive: no owner, no time, no name of a folder of this machine."""
    with tarfile.open(FILE, "w:xz", preset=9) as packed:
        for file in sorted(home.rglob("*"), key=lambda one: (one.suffix, one.as_posix())):
            place = file.relative_to(home)
            if file.is_file() and place.parts[0] not in LEFT_OUT and file.suffix != ".crc":
                content = file.read_bytes().replace(str(home).encode(), b"/kept")
                entry = tarfile.TarInfo(place.as_posix())
                entry.size = len(content)
                packed.addfile(entry, BytesIO(content))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        keep(Path(folder))
        pack(Path(folder))
    print(f"{FILE.stat().st_size / 1000:.0f} kB in {FILE.relative_to(ROOT)}")
