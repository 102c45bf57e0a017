"""The program without a Kafka: it says what it waits for, takes nothing, and ends when it is told to."""

import asyncio
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import httpx
import pytest

from infra import tls_settings
from infra.failures import PermanentFailure
from infra.services import webhooks as program
from infra.settings import ROOT, Settings
from infra.tls.files import files
from infra.tls.prepare import prepare
from streaming.hooks import Hooks
from streaming.webhooks.__main__ import serve
from streaming.webhooks.senders import Secret, Sender, changing
from streaming.webhooks.signature import key_of, new_secret, sign


def test_hooks_that_are_wrong_end_it_before_it_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streaming.hooks.hooks", lambda: Hooks(writers="json:nothing"))
    with pytest.raises(PermanentFailure, match=r"hooks: `writers` names json:nothing, and json .* has no `nothing`"):
        asyncio.run(asyncio.wait_for(serve(Settings(home=tmp_path, webhooks_port=free_port())), 20))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.mark.parametrize("tls", ["off", "on"])
def test_without_kafka_nothing_is_taken_and_status_says_so(tmp_path: Path, tls: Literal["off", "on"]) -> None:
    s = Settings(home=tmp_path, webhooks_port=free_port(), kafka_bootstrap=f"127.0.0.1:{free_port()}", tls=tls)
    prepare(s)
    secret, body, now = new_secret(), b'{"event_id":"1","order_id":"o-1"}', str(int(time.time()))
    with changing(tmp_path / "webhooks.json") as known:
        known["partner"] = Sender("partner", ("orders",), 10, (Secret(secret),))
    ours = {
        "HOME": str(tmp_path),
        "WEBHOOKS_PORT": str(s.webhooks_port),
        "KAFKA_BOOTSTRAP": s.kafka_bootstrap,
        "TLS": tls,
    }
    env = os.environ | {f"DAYBREAK_{name}": value for name, value in ours.items()} | {"PYTHONPATH": str(ROOT)}
    own = subprocess.Popen(
        [sys.executable, "-m", "streaming.webhooks"], env=env, cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    try:
        one = program.program(s)
        give_up = time.monotonic() + 30
        while "does not answer" not in (said := one.waits_for(own.pid) or ""):
            assert time.monotonic() < give_up, said
            time.sleep(0.1)
        headers = {"webhook-sender": "partner", "webhook-id": "1", "webhook-timestamp": now}
        headers |= {"content-type": "application/json", "webhook-signature": sign(key_of(secret), "1", now, body)}
        url = f"{tls_settings.url(vars(s), 'webhooks_port')}/topics/orders"
        trusted = ssl.create_default_context(cafile=str(files(s).ca)) if s.has_tls else True
        answer = httpx.post(url, content=body, headers=headers, trust_env=False, verify=trusted)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.json()["error"] == "kafka_away"
        assert answer.json()["written"] is False
        if s.has_tls:
            with pytest.raises(httpx.TransportError):
                httpx.post(url.replace("https", "http"), content=body, headers=headers, trust_env=False)
            with pytest.raises(httpx.ConnectError, match="certificate verify failed"):
                httpx.post(url, content=body, headers=headers, trust_env=False)
        assert one.notices(own.pid) == ()
        own.send_signal(signal.SIGTERM)
        _, log = own.communicate(timeout=30)
        assert secret not in log
        assert json.loads(program.status_file(s).read_text())["waiting"] == 0
    finally:
        own.kill()
        own.wait()
