"""Write the report of a night, as the nightly DAG does.

Data flow: the lake -> one HTML file -> the bucket, the home
Run: python -m batch.report --date 2026-01-31
"""

import argparse

from infra.dates import day_of
from infra.failures import reported
from infra.settings import settings


def main() -> None:
    """Write the report, store it, and print where it is."""
    # Imported here, so that a project that does not load is one sentence.
    from batch.report.publish import publish, written

    parser = argparse.ArgumentParser(prog="python -m batch.report", description="The report of a night.")
    parser.add_argument("--date", required=True, metavar="YYYY-MM-DD", help="The day it is about (UTC).")
    asked = parser.parse_args().date
    day = day_of(asked)
    for place in publish(settings(), day, written(settings(), day)):
        print(place, flush=True)


if __name__ == "__main__":
    with reported():
        main()
