"""Where a report is stored: in the bucket for ever, and in the home for Airflow's page.

Data flow: the page's text -> s3 `reports/<day>.html`, `<home>/reports/<day>.html`
Run: daybreak report --date 2026-01-31
"""

import io
from datetime import date
from pathlib import Path

import urllib3
from minio.error import MinioException

from batch.report.figures import figures
from batch.report.page import page
from batch.report.sources import sources
from infra.lake.login import failed
from infra.lake.rights import REPORTS as FOLDER
from infra.lake.s3 import client
from infra.page.write import put
from infra.settings import Settings
from infra.store_users import User


def written(s: Settings, day: date) -> str:
    """The report of a day as HTML. Raises PermanentFailure if no night has compared it."""
    return page(figures(sources(s, day)), s.airflow_url)


def publish(s: Settings, day: date, text: str) -> tuple[str, Path]:
    """Store the report in both places, replacing an older one; returns the address in the bucket, and the file.

    Raises TransientFailure if the store does not take it. The file is written second, so it never exists without the other.
    """
    name, content = f"{FOLDER}/{day}.html", text.encode()
    try:
        # Whoever asks for it, a report is the night's.
        store = client(s, user=User.NIGHT)
        store.put_object(s.bucket, name, io.BytesIO(content), len(content), content_type="text/html; charset=utf-8")
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        raise failed(f"the object store at {s.s3_endpoint} does not take {name}", failure) from failure
    return f"s3://{s.bucket}/{name}", put(s.home / name, content)
