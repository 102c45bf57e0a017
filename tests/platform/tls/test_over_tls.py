"""The shop's day, the stream and the night over TLS: all that is sent arrives, is true, and is equal in every copy.

Data flow: shop, database, order service -> Kafka, Postgres and the lake's store with TLS -> stream, night, followers
Run: pytest -m soak tests/platform/tls
"""

import json
import ssl
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from accounting import unaccounted
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key as of
from database import Database
from old_secrets import afresh
from running import Platform, until
from schedule import skip_last_night
from started import CORE
from traffic import placed
from truth_check import misspoken, untrue

from infra.tls.authority import Identity, issued
from infra.tls.files import files
from streaming.webhooks.signature import key_of, sign

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(2 * 3600)]

PARTS = ("connect", "cache", "follower-index", "follower-cache", "follower-orders", "order-service")
DAY = datetime.now(UTC).date() - timedelta(days=1)


def test_stream_and_night_work_over_tls(platform: Platform) -> None:
    sizes = ("--days", "1", "--rate", "0.05", "--live", "5", "--ledger", str(platform.ledger), "--payloads")
    platform.run("daybreak", "shop", *sizes)
    platform.wait_drained()
    assert misspoken(platform) == []
    platform.run("batch", "night", "--date", str(DAY))
    assert untrue(platform, [DAY]) == []
    assert unaccounted(platform, archived=True) == []


def test_doctor_and_status_find_nothing_wrong_with_certificates(platform: Platform) -> None:
    found = json.loads(platform.run("daybreak", "status", "--problems", "--json", check=False).stdout)
    assert [one["id"] for one in found if one["id"].startswith(("tls.", "program.", "look."))] == []
    assert "certificates for 127.0.0.1" in platform.run("daybreak", "doctor", check=False).stdout


def test_labs_of_the_log_work_over_tls(platform: Platform) -> None:
    for lab in ("groups", "acks"):
        platform.run("daybreak", "lab", lab)


def test_a_certificate_near_its_end_is_renewed_by_the_next_up(platform: Platform) -> None:
    s, served = platform.settings, files(platform.settings)
    ca = Identity(x509.load_pem_x509_certificate(served.ca.read_bytes()), of(served.ca_key.read_bytes(), None))
    near = issued(ca, s.tls_host, datetime.now(UTC), days=20)
    for file, text in {
        served.certificate: near.certificate_pem,
        served.key: near.key_pem,
        served.key_and_certificate: near.key_pem + near.certificate_pem,
    }.items():
        file.write_text(text)
    found = json.loads(platform.run("daybreak", "status", "--problems", "--json", check=False).stdout)
    assert "tls.ends" in [one["id"] for one in found]
    pids = {name: process.pid for name, process in platform.supervisor().processes().items() if process.pid}
    platform.run("daybreak", "up", "--only", "kafka")
    assert ssl.get_server_certificate(("127.0.0.1", s.s3_port)).split() == served.certificate.read_text().split()
    assert served.certificate.read_text() != near.certificate_pem
    # All that ran runs again, with the new one, though one program was named.
    now = {name: process.pid for name, process in platform.supervisor().processes().items() if process.pid}
    assert now.keys() == pids.keys()
    assert not set(now.values()) & set(pids.values())
    platform.run("daybreak", "shop", "--days", "0", "--live", "5", "--ledger", str(platform.ledger), "--payloads")
    platform.wait_drained()
    assert unaccounted(platform) == []


def test_gateway_airflow_and_webhooks_work_over_tls(platform: Platform) -> None:
    platform.run("daybreak", "up", "--with", "webhooks")
    skip_last_night(platform)
    platform.run("daybreak", "backfill", "--from", str(DAY), "--to", str(DAY))
    counted = "SELECT count(*) AS n FROM gold.fct_orders"
    (row,) = json.loads(f"[{platform.run('daybreak', 'query', '--json', counted).stdout}]")
    assert row["n"] > 0
    assert f" {row['n']} " in platform.run("daybreak", "beeline", "-e", counted).stdout
    s, secret = (
        platform.settings,
        platform.run("daybreak", "webhooks", "add", "partner", "--topic", "orders").stdout.strip(),
    )
    trusted = ssl.create_default_context(cafile=str(files(s).ca))
    ((_, _, body, event_id, _),) = [placed("over tls", datetime.now(UTC))]
    now = str(int(time.time()))
    headers = {
        "webhook-sender": "partner",
        "webhook-id": "1",
        "webhook-timestamp": now,
        "content-type": "application/json",
    }
    headers |= {"webhook-signature": sign(key_of(secret), "1", now, body or b"")}
    at = f"https://127.0.0.1:{s.webhooks_port}/topics/orders"
    said = httpx.post(at, content=body, headers=headers, verify=trusted, trust_env=False)
    assert said.status_code == 200, said.text
    platform.wait_drained()
    assert event_id in [one["event_id"] for one in platform.rows("silver/events", "event_id")]
    for name in (
        "gateway",
        "webhooks",
        "airflow-api",
        "airflow-scheduler",
        "airflow-dag-processor",
        "airflow-triggerer",
    ):
        platform.supervisor().stop(name, wait=True)


def test_capture_followers_and_order_service_work_over_tls(platform: Platform) -> None:
    options = ("--with", "shop-db", "--with", "order-service")
    platform.run("daybreak", "up", *options, "--only", ",".join((CORE, *PARTS)))
    platform.run("daybreak", "shop", "--days", "0", "--live", "10")
    platform.wait_drained()
    at = f"https://127.0.0.1:{platform.settings.connect_port}/connectors"
    assert httpx.get(at, verify=ssl.create_default_context(cafile=str(files(platform.settings).ca))).status_code == 401
    # With the CAs of the world: to read the lake this process may have been told of ours (SSL_CERT_FILE).
    with pytest.raises(httpx.TransportError, match="CERTIFICATE_VERIFY_FAILED"):
        httpx.get(at, trust_env=False)
    # Jetty tells who speaks no TLS that the request is bad, and no more.
    with suppress(httpx.TransportError):
        assert httpx.get(at.replace("https", "http"), trust_env=False).status_code == 400
    copies = Database(platform).checked()
    assert {one["copy"] for one in copies} >= {"the log", "the stream", "the index", "the cache"}
    answered = lambda: not platform.run("daybreak", "order", "check", "--json", check=False).returncode  # noqa: E731
    until("every command is answered once", answered)
    platform.run("daybreak", "shop-db", "check", "--orders", "--json")


def test_a_rotation_gives_all_another_authority(platform: Platform) -> None:
    s, before = platform.settings, files(platform.settings).ca.read_bytes()
    assert "another CA" in platform.run("daybreak", "secrets", "rotate", "--authority").stdout
    assert files(s).ca.read_bytes() != before
    assert ssl.get_server_certificate(("127.0.0.1", s.s3_port)).split() == files(s).certificate.read_text().split()
    # Their passwords are other ones, too.
    now = afresh(platform)
    now.run("daybreak", "shop", "--days", "0", "--live", "5", "--ledger", str(platform.ledger), "--payloads")
