"""Questions that a working service answers.

Data flow: endpoint -> None, or what is still awaited, in words
Run: daybreak status
"""

import json
import socket
import time
import urllib.error
import urllib.request
from datetime import datetime
from typing import Any

import psutil
import psycopg
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from infra.durations import span
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.partitions import partitions
from infra.settings import Settings

ANSWER_SECONDS = 3
STILL_SECONDS = 300.0
"""Longer than a micro-batch of many records takes on a busy laptop."""
SILENT_SECONDS = 60.0
"""The stream leaves a word every second."""
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Our services are on loopback, where no proxy can reach them."""


def port(host: str, number: int) -> str | None:
    """Does something listen there?"""
    try:
        socket.create_connection((host, number), ANSWER_SECONDS).close()
    except OSError:
        return f"nothing answers on port {number} yet"
    return None


def kafka(s: Settings) -> str | None:
    """Does the broker tell its topics?"""
    # A client's own complaints about a broker that is not there yet would fill the screen.
    silent = {"log_level": 0, "socket.timeout.ms": ANSWER_SECONDS * 1000}
    client = AdminClient({"bootstrap.servers": s.kafka_bootstrap, **silent, **s.kafka_client})
    try:
        brokers = client.list_topics(timeout=ANSWER_SECONDS).brokers
    except KafkaException:
        return f"the broker at {s.kafka_bootstrap} does not answer yet"
    return None if brokers else "no broker has registered yet"


def page(url: str) -> tuple[str | None, Any]:
    """GET a page: (None, its JSON if it is JSON), or (what is wrong, None)."""
    try:
        with _direct.open(url, timeout=ANSWER_SECONDS) as answer:
            body = answer.read()
    except urllib.error.HTTPError as refused:
        return f"{url} answers {refused.code}", None
    except OSError:
        return f"{url} does not answer yet", None
    return None, json.loads(body) if body.startswith(b"{") else None


def minio(s: Settings) -> str | None:
    """Does the store say that it is live?"""
    return page(f"{s.s3_endpoint}/minio/health/live")[0]


def postgres(connection_string: str) -> str | None:
    """Can one connect and query?"""
    try:
        with psycopg.connect(connection_string, connect_timeout=ANSWER_SECONDS) as connection:
            connection.execute("SELECT 1")
    except psycopg.OperationalError as failure:
        return f"no connection: {str(failure).strip().splitlines()[-1]}"
    return None


def airflow(s: Settings, component: str, pid: int) -> str | None:
    """Does Airflow count this component as healthy, by a heartbeat of the process that runs now?"""
    wrong, said = page(f"{s.airflow_url}/api/v2/monitor/health")
    if wrong or not isinstance(said, dict):
        return wrong or "Airflow's health page is not JSON"
    part = said[component]
    if part["status"] != "healthy":
        return f"Airflow calls its {component} {part['status'] or 'not started'}"
    beat = part.get(f"latest_{component}_heartbeat")
    if beat and pid and datetime.fromisoformat(beat).timestamp() < psutil.Process(pid).create_time():
        return "its first heartbeat"
    return None


def stream(s: Settings, pid: int) -> str | None:
    """Does the stream's own status file, written by this process, say that it runs?"""
    file = s.home / "run" / "stream.json"
    if not file.exists():
        return "its queries to start"
    said = json.loads(file.read_text())
    if said["pid"] != pid:
        return "its queries to start"
    return _stands_still(s, said, pid) if said["state"] == "running" else f"it is {said['state']}"


def _stands_still(s: Settings, said: dict[str, Any], pid: int) -> str | None:
    """A stream that says it runs, and has finished no micro-batch for long though the log has more.

    `batch` of the status file: {"id", "finished_at"} of the last micro-batch since the start, epoch seconds; none yet is null.
    """
    now, batch = time.time(), said.get("batch")
    if now - said["at"] > SILENT_SECONDS:
        return f"its own word, which is {span(now - said['at'])} old: see daybreak logs stream"
    since = batch["finished_at"] if batch else psutil.Process(pid).create_time()
    if now - since < STILL_SECONDS:
        return None
    try:
        unread = sum(max(at.end - (at.start if at.committed is None else at.committed), 0) for at in partitions(s))
    except TransientFailure as failure:
        return str(failure)
    except PermanentFailure:
        # The group has read nothing yet, and no record has been sent.
        return None
    which = (
        f"micro-batch {batch['id']} was finished {span(now - since)} ago" if batch else f"none in {span(now - since)}"
    )
    return (
        f"its next micro-batch ({which}, and the log has {unread:,} records more): see daybreak logs stream"
        if unread
        else None
    )
