"""Requests to S3 by hand: signed, unsigned or wrongly signed, and with a path as it is written.

Data flow: method, path, a key -> a request signed by minio's own signer -> None, or the store's word for its refusal
Run: pytest tests/platform/doors
Source: Amazon S3, "Authenticating Requests (AWS Signature Version 4)".
"""

import hashlib
import re
from datetime import UTC, datetime
from http.client import HTTPConnection
from urllib.parse import urlsplit

from minio.credentials import Credentials
from minio.signer import sign_v4_s3

from infra.lake.login import Key
from infra.settings import Settings

SECONDS = 20


def ask(s: Settings, method: str, path: str, key: Key | None, body: bytes = b"") -> str | None:
    """None if the store does it, else the code of its refusal; `key` None: who asks does not say who he is."""
    at, now = urlsplit(s.s3_endpoint), datetime.now(UTC)
    digest = hashlib.sha256(body).hexdigest()
    headers = {"Host": at.netloc, "x-amz-content-sha256": digest, "x-amz-date": now.strftime("%Y%m%dT%H%M%SZ")}
    if key:
        url, who = urlsplit(f"{s.s3_endpoint}{path}"), Credentials(key.access, key.secret)
        headers = sign_v4_s3(
            method=method,
            url=url,
            region=s.s3_region,
            headers=headers,
            credentials=who,
            content_sha256=digest,
            date=now,
        )
    connection = HTTPConnection(at.netloc, timeout=SECONDS)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
    finally:
        connection.close()
    if answer.status < 300:
        return None
    code = re.search(r"<Code>(\w+)</Code>", said)
    return code[1] if code else f"{answer.status} {said[:100]}"
