"""Health checks, one per service.

Data flow: endpoint -> None if the service works, else what it waits for, as text
Run: daybreak status
"""

import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
import psycopg
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from infra.durations import span
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import login
from infra.kafka.brokers import Node
from infra.kafka.partitions import partitions
from infra.kafka.replicas import replicas
from infra.last_said import last_said
from infra.services import said as said_of
from infra.settings import Settings
from infra.tls.trust import context

ANSWER_SECONDS = 3
_NO_PROXY = urllib.request.ProxyHandler({})
"""Our services are on loopback, where no proxy can reach them."""
_direct = urllib.request.build_opener(_NO_PROXY)
SILENT_SECONDS = 60.0
"""Oldest status file of a stream that works; it is written every second."""


def port(host: str, number: int, trusted: ssl.SSLContext | None = None) -> str | None:
    """Does something listen on the port? `trusted`: of TLS, whose certificates."""
    try:
        with socket.create_connection((host, number), ANSWER_SECONDS) as plain:
            if trusted:
                trusted.wrap_socket(plain, server_hostname=host).close()
    except ssl.SSLCertVerificationError as refused:
        return f"a certificate on port {number} that is taken ({refused.verify_message})"
    except OSError:
        return f"an answer on port {number}"
    return None


def kafka(s: Settings, node: Node) -> str | None:
    """Does the broker answer, has it registered, and has it every record of its replicas that is to be there?"""
    # A client's own complaints about a broker that is not there yet would fill the screen.
    silent = {"log_level": 0, "socket.timeout.ms": ANSWER_SECONDS * 1000}
    try:
        client = AdminClient({"bootstrap.servers": node.address, **silent, **login.of_librdkafka(s), **s.kafka_client})
        there = client.list_topics(timeout=ANSWER_SECONDS)
    except KafkaException:
        return f"an answer from the broker at {node.address}"
    if node.number not in there.brokers:
        return "a broker to register" if s.kafka_brokers == 1 else "the other brokers to register it"
    every = [one for one in replicas(there) if node.number in one.everywhere]
    behind = sum(node.number in one.behind for one in every)
    return f"its replicas to catch up: {behind:,} of {len(every):,} are behind" if behind else None


def page(url: str, trusted: ssl.SSLContext | None = None) -> tuple[str | None, Any]:
    """GET a page: (None, its JSON if it is JSON), or (what is wrong, None). `trusted`: if not the machine's CAs."""
    direct = (
        urllib.request.build_opener(_NO_PROXY, urllib.request.HTTPSHandler(context=trusted)) if trusted else _direct
    )
    try:
        with direct.open(url, timeout=ANSWER_SECONDS) as answer:
            body = answer.read()
    except urllib.error.HTTPError as refused:
        return f"a good answer from {url} (it answers {refused.code})", None
    except OSError as failure:
        why = getattr(failure, "reason", None)
        said = f" ({why.verify_message})" if isinstance(why, ssl.SSLCertVerificationError) else ""
        return f"an answer from {url}{said}", None
    return None, json.loads(body) if body.startswith(b"{") else None


def postgres(connection_string: str) -> str | None:
    """Can one connect and query?"""
    try:
        with psycopg.connect(connection_string, connect_timeout=ANSWER_SECONDS) as connection:
            connection.execute("SELECT 1")
    except psycopg.OperationalError as failure:
        return f"a connection: {str(failure).strip().splitlines()[-1]}"
    return None


def airflow(s: Settings, component: str, pid: int) -> str | None:
    """Does Airflow count this component as healthy, by a heartbeat of the process that runs now?"""
    wrong, said = page(f"{s.airflow_url}/api/v2/monitor/health", context(s, "airflow_url"))
    if wrong or not isinstance(said, dict):
        return wrong or "a health page of Airflow in JSON"
    part = said[component]
    if part["status"] != "healthy":
        return f"a healthy {component} (Airflow calls it {part['status'] or 'not started'})"
    beat = part.get(f"latest_{component}_heartbeat")
    if beat and pid and datetime.fromisoformat(beat).timestamp() < psutil.Process(pid).create_time():
        return "its first heartbeat"
    return None


def stream(s: Settings, pid: int) -> str | None:
    """Does the stream's own status file, written by this process, say that it runs?"""
    said = _said(s)
    if said.get("pid") != pid:
        return "its queries to start"
    if said["state"] != "running":
        return f"its start (it is {said['state']})"
    if reads_back := said.get("reads_back"):
        return f"its first micro-batch (it reads back {reads_back})"
    return _stands_still(s, said, pid)


def held(s: Settings) -> dict[str, tuple[int, int]]:
    """Rows and bytes that the stream keeps for its views, as its status file says; empty without one."""
    said = _said(s)
    return {view: (rows, size) for view, (rows, size) in said.get("held", {}).items()}


def notices(s: Settings, pid: int) -> tuple[str, ...]:
    """What the running stream, process `pid`, wants people to know, as its status file says."""
    return said_of.notices(stream_file(s), pid)


def stream_file(s: Settings) -> Path:
    """The stream's status file."""
    return s.home / "run" / "stream.json"


def _said(s: Settings) -> dict[str, Any]:
    """What it says; empty without one."""
    return last_said(stream_file(s))


def _stands_still(s: Settings, said: dict[str, Any], pid: int) -> str | None:
    """Is a running stream stuck: no micro-batch finished for `still_seconds`, although records are unread for as long?

    After a quiet night the first record is unread for a moment, and nothing is stuck.
    `batch` of the status file: {"id", "finished_at"} of the last micro-batch since the start, epoch seconds; none yet is null.
    """
    now, batch = time.time(), said.get("batch")
    if now - said["at"] > SILENT_SECONDS:
        return f"its status file, which is {span(now - said['at'])} old: see daybreak logs stream"
    since = batch["finished_at"] if batch else psutil.Process(pid).create_time()
    if now - since < s.still_seconds:
        return None
    try:
        # What waits behind an open transaction cannot be read yet: a notice of the stream's says so.
        unread = sum(
            max(at.stable - (at.start if at.committed is None else at.committed), 0)
            for at in partitions(s)
            if at.first_unread and now - at.first_unread.timestamp() >= s.still_seconds
        )
    except TransientFailure as failure:
        return str(failure)
    except PermanentFailure:
        # The group has read nothing yet, and no record has been sent.
        return None
    which = (
        f"micro-batch {batch['id']} was finished {span(now - since)} ago" if batch else f"none in {span(now - since)}"
    )
    return (
        f"its next micro-batch ({which}, and Kafka has {unread:,} unread records): see daybreak logs stream"
        if unread
        else None
    )
