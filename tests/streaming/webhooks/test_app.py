"""The web application on a real port: what is taken, and what is refused with which status; what is refused is not written."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

from infra.settings import Settings
from streaming.encodings.as_json import MAX_BYTES
from streaming.webhooks import request as request_module
from streaming.webhooks.app import Webhooks
from streaming.webhooks.deliver import Written
from streaming.webhooks.refused import STATUS, Refused, Why
from streaming.webhooks.senders import Secret, Sender, Senders, changing
from streaming.webhooks.signature import key_of, new_secret, sign

EVENT: dict[str, Any] = {"event_id": "6f1c2b7e-0d53-4c8e-9a44-5b8f5a0d6c14", "order_id": "o-00000001", "total_cents": 1}
BODY = json.dumps(EVENT).encode()
CLICK = b'{"event_id":"1","session_id":"s-1"}'
SECRET = new_secret()


class Taken:
    """Stands for the log: keeps what it is given; `fails` is raised instead."""

    def __init__(self) -> None:
        self.records: list[tuple[str, bytes, bytes, list[tuple[str, Any]]]] = []
        self.fails: Exception | None = None

    async def write(self, topic: str, key: bytes, value: bytes, headers: list[tuple[str, Any]]) -> Written:
        if self.fails:
            raise self.fails
        self.records.append((topic, key, value, headers))
        return Written(1, 7)


class Site:
    """The application, served; `post` signs."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.client = httpx.Client(trust_env=False, timeout=60)
        self.begin_anew()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.server = uvicorn.Server(
            uvicorn.Config(self.answer, port=self.port, interface="asgi3", log_level="critical", lifespan="off")
        )
        self.thread = Thread(target=self.server.run)

    def begin_anew(self) -> None:
        """With full rates, its two senders, and nothing written."""
        self.log = Taken()
        self.file.unlink(missing_ok=True)
        with changing(self.file) as known:
            known["partner"] = Sender("partner", ("orders",), 1000, (Secret(SECRET),))
            known["slow"] = Sender("slow", ("orders", "clicks"), 0.5, (Secret(SECRET),))
        self.webhooks = Webhooks(Settings(), Senders(self.file), lambda: self.log)  # type: ignore[arg-type,return-value]

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        await self.webhooks.app(scope, receive, send)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def post(self, path: str = "/topics/orders", body: bytes = BODY, **headers: str) -> httpx.Response:
        now = str(int(time.time()))
        own = {"webhook-sender": "partner", "webhook-id": "msg_1", "webhook-timestamp": now}
        own |= {"content-type": "application/json", "webhook-signature": sign(key_of(SECRET), "msg_1", now, body)}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(self.url(path), content=body, headers={k: v for k, v in own.items() if v})


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    own = Site(tmp_path_factory.mktemp("webhooks") / "webhooks.json")
    own.thread.start()
    while not own.server.started:
        time.sleep(0.01)
    yield own
    own.server.should_exit = True
    own.thread.join()


@pytest.fixture
def site(served: Site) -> Site:
    served.begin_anew()
    return served


def refused(answer: httpx.Response, why: Why) -> str:
    """The sentence of a refusal."""
    said = answer.json()
    assert (answer.status_code, said["error"]) == (STATUS[why], why.value), said
    assert answer.headers["content-type"] == "application/json"
    assert set(said) == {"error", "what", "written"}
    return str(said["what"])


def test_a_signed_event_is_written_with_its_key_and_bytes(site: Site) -> None:
    answer = site.post(content_type="application/json; charset=utf-8")
    assert answer.status_code == 200
    written = {"written": True, "event_id": EVENT["event_id"], "topic": "orders", "partition": 1, "offset": 7}
    assert answer.json() == written
    headers = [("webhook-sender", "partner"), ("webhook-id", "msg_1")]
    assert site.log.records == [("orders", b"o-00000001", BODY, headers)]


BAD: list[tuple[Why, str, dict[str, Any]]] = [
    (Why.BAD_SIGNATURE, "none of this sender's", {"webhook_signature": "v1,AAAA"}),
    (Why.BAD_SIGNATURE, "none of this sender's", {"webhook_sender": "stranger"}),
    (Why.BAD_SIGNATURE, "none of this sender's", {"webhook_sender": "stranger", "path": "/topics/nothing"}),
    (Why.UNSIGNED, "needs the headers webhook-sender", {"webhook_signature": ""}),
    (Why.UNSIGNED, "needs the headers", {"webhook_id": "", "path": "/topics/nothing"}),
    (Why.UNKNOWN_TOPIC, "'nothing' is no topic of the platform; there is orders", {"path": "/topics/nothing"}),
    (Why.NOT_YOURS, "partner may write orders, not 'clicks'", {"path": "/topics/clicks"}),
    (Why.NOT_WRITABLE, "only the night writes", {"path": "/topics/corrections"}),
    (Why.NO_SUCH_PAGE, "POST /topics/<topic>", {"path": "/topic/orders"}),
    (Why.UNKNOWN_PARAMETER, "no parameter dry=1", {"path": "/topics/orders?dry=1"}),
    (Why.UNKNOWN_PARAMETER, "no parameter check=0", {"path": "/topics/orders?check=0"}),
    (Why.UNKNOWN_PARAMETER, "no parameter check=1, check=0", {"path": "/topics/orders?check=1&check=0"}),
    (Why.TOO_LARGE, "65,536 bytes", {"body": b'"' + b"a" * MAX_BYTES}),
    (Why.WRONG_CONTENT_TYPE, "application/json", {"content_type": "text/plain"}),
    (Why.WRONG_CONTENT_TYPE, "missing", {"content_type": ""}),
    (Why.WRONG_CONTENT_TYPE, "gzip", {"content_encoding": "gzip"}),
    (Why.NOT_JSON, "is not JSON in UTF-8", {"body": b"{"}),
    (Why.NOT_JSON, "is not JSON in UTF-8", {"body": b'{"a":"\xff"}'}),
    (Why.NOT_JSON, "is not JSON in UTF-8", {"body": b"[" * 50_000}),
    (Why.NOT_JSON, "JSON list", {"body": b"[" + BODY + b"]"}),
    (Why.MISSING_FIELD, "'order_id'", {"body": b'{"event_id":"1"}'}),
    (Why.MISSING_FIELD, "'order_id'", {"body": b'{"event_id":"1","order_id":7}'}),
    (Why.MISSING_FIELD, "'event_id'", {"body": b'{"order_id":"o-1","event_id":""}'}),
]


@pytest.mark.parametrize(("why", "said", "spoilt"), BAD, ids=[f"{n} {one[0]}" for n, one in enumerate(BAD)])
def test_a_bad_request_is_named_and_not_written(site: Site, why: Why, said: str, spoilt: dict[str, Any]) -> None:
    assert said in refused(site.post(**spoilt), why)
    assert site.log.records == []
    assert site.webhooks.outcomes == {why.value: 1}
    assert site.post().status_code == 200


def test_a_check_gives_each_reason_and_writes_nothing(site: Site) -> None:
    shipped = {"event_type": "order_shipped", "event_time": time.time_ns() // 1_000_000, "schema_version": 1}
    good = {name: EVENT[name] for name in ("event_id", "order_id")} | shipped | {"customer_id": "c-7"}
    bad = good | {"customer_id": "c-x", "event_time": 0, "extra": 1}
    beyond = json.dumps(good).replace('"c-7"', "9" * 1001)
    for body, valid, reasons in (
        (json.dumps(good), True, []),
        (json.dumps(bad), False, ["unknown_field", "too_old", "bad_format"]),
        (beyond, None, []),
    ):
        answer = site.post("/topics/orders?check=1", body.encode())
        said = answer.json()
        assert (answer.status_code, said["valid"], sorted(said["reasons"])) == (200, valid, sorted(reasons)), said
        assert (bool(said["not_checked"]), said["written"]) == (valid is None, False)
        assert said["what"].startswith("nothing is written; ")
    assert site.log.records == []
    assert site.webhooks.outcomes == {"checked": 3}


def test_every_topic_can_be_checked(site: Site) -> None:
    answer = site.post("/topics/clicks?check=1", CLICK, webhook_sender="slow")
    assert answer.json()["reasons"] == ["missing_field", "bad_format"]


def test_an_event_of_the_longest_size_is_taken(site: Site) -> None:
    body = json.dumps(EVENT | {"reason": ""}).encode()
    body = body.replace(b'"reason": ""', b'"reason": "' + b"a" * (MAX_BYTES - len(body)) + b'"')
    assert len(body) == MAX_BYTES
    assert site.post(body=body).status_code == 200


def test_a_large_body_that_hides_its_size_is_cut_off(site: Site) -> None:
    parts = (b"a" * 1000 for _ in range(200))
    answer = site.client.post(site.url("/topics/orders"), content=parts)
    refused(answer, Why.TOO_LARGE)
    assert site.log.records == []


def test_a_body_that_does_not_come_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_module, "BODY_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", site.port), 5) as half:
        half.sendall(b"POST /topics/orders HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
        assert half.recv(1000).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_another_method_is_refused_with_the_right_one(site: Site, method: str) -> None:
    answer = site.client.request(method, site.url("/topics/orders"))
    assert "POST /topics/<topic>" in refused(answer, Why.WRONG_METHOD)
    assert answer.headers["allow"] == "POST"


def test_who_sends_too_fast_waits_and_others_do_not(site: Site) -> None:
    assert site.post(webhook_sender="slow").status_code == 200
    answer = site.post(webhook_sender="slow")
    assert "slow may send 0.5 requests a second" in refused(answer, Why.TOO_MANY)
    assert answer.headers["retry-after"] == "2"
    assert site.post().status_code == 200
    assert len(site.log.records) == 2


def test_a_wrong_signature_takes_nothing_from_the_rate(site: Site) -> None:
    for _ in range(5):
        refused(site.post(webhook_sender="slow", webhook_signature="v1,AAAA"), Why.BAD_SIGNATURE)
    assert site.post(webhook_sender="slow").status_code == 200


@pytest.mark.parametrize(
    ("why", "written"), [(Why.QUEUE_FULL, False), (Why.KAFKA_AWAY, False), (Why.NOT_CONFIRMED, None)]
)
def test_what_the_log_does_not_take_may_be_sent_later(site: Site, why: Why, written: bool | None) -> None:
    site.log.fails = Refused(why, "send it again", 1.5, written)
    answer = site.post()
    refused(answer, why)
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["written"]) == (503, "2", written)


def test_a_fault_of_ours_is_an_answer_too(site: Site) -> None:
    site.log.fails = ZeroDivisionError()
    answer = site.post()
    assert (answer.status_code, answer.json()["error"], answer.json()["written"]) == (500, "fault", None)


def test_a_damaged_file_of_senders_lets_nobody_in(site: Site) -> None:
    site.file.write_text("{")
    assert "is no file of senders" in refused(site.post(), Why.NO_SENDERS)
    assert site.log.records == []


def test_every_reason_has_a_status() -> None:
    assert set(STATUS) == set(Why)
