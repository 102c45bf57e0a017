"""The program of the option webhooks: one process, one loop, one producer.

Data flow: HTTP on loopback -> Webhooks -> Kafka; every second its status file
Run: python -m streaming.webhooks
"""

import asyncio
import json
import os
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from infra import logs
from infra.failures import PermanentFailure, TransientFailure, reported
from infra.kafka.login import act_as
from infra.kafka_users import User
from infra.page.write import put
from infra.services.webhooks import status_file
from infra.settings import Settings, settings
from infra.tls.files import files
from streaming.webhooks import senders
from streaming.webhooks.deliver import WAIT_SECONDS, Log

if TYPE_CHECKING:
    from streaming.webhooks.app import Webhooks

HOST = "127.0.0.1"
SAY_SECONDS = 1.0


async def serve(s: Settings) -> None:
    """Answer until a signal says stop: then what was begun is answered first.

    Raises TransientFailure if Kafka's client broke. Raises PermanentFailure before it answers if the project does not load, or
    if its hooks do not say who writes which topic.
    """
    # Imported here, so that a project that does not load is one sentence.
    from streaming.webhooks.app import Webhooks
    from streaming.webhooks.topics import writable

    writable(s)
    known = senders.Senders(senders.file_of(s))
    log = Log(asyncio.get_running_loop())
    webhooks = Webhooks(s, known, lambda: log)
    config = uvicorn.Config(
        webhooks.app,
        host=HOST,
        port=s.webhooks_port,
        # Addresses and headers of requests are nobody's business in a log.
        access_log=False,
        log_level="warning",
        # Without one of its own it logs as this process does.
        log_config=None if logs.is_json() else uvicorn.config.LOGGING_CONFIG,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=int(WAIT_SECONDS) + 2,
        ssl_certfile=str(files(s).certificate) if s.has_tls else None,
        ssl_keyfile=str(files(s).key) if s.has_tls else None,
    )
    server = uvicorn.Server(config)
    saying = asyncio.create_task(_say(s, server, webhooks, known, log))
    # It ends by a failure only, e.g. a full disk; then the program ends with it, and its log says why.
    saying.add_done_callback(partial(_end, server))
    try:
        await server.serve()
    finally:
        saying.cancel()
        with suppress(asyncio.CancelledError):
            await saying
        await asyncio.to_thread(log.close)
    if log.broken:
        raise TransientFailure(log.broken)


def _end(server: uvicorn.Server, _: "asyncio.Task[None]") -> None:
    server.should_exit = True


async def _say(s: Settings, server: uvicorn.Server, webhooks: "Webhooks", known: senders.Senders, log: Log) -> None:
    while True:
        waits_for = log.broken or log.away or (None if server.started else "its port")
        own = {"pid": os.getpid(), "at": time.time(), "waits_for": waits_for, "notices": _notices(known)}
        put(status_file(s), json.dumps(own | {"outcomes": webhooks.outcomes, "waiting": log.waiting}).encode())
        if log.broken:
            server.should_exit = True
        await asyncio.sleep(SAY_SECONDS)


def _notices(known: senders.Senders) -> list[str]:
    try:
        if known.now():
            return []
    except PermanentFailure as failure:
        return [f"nobody may send webhooks: {failure}"]
    return ["nobody may send webhooks yet: daybreak webhooks add NAME --topic TOPIC"]


if __name__ == "__main__":
    with reported():
        logs.begin(settings().log_format)
        act_as(User.WEBHOOKS)
        asyncio.run(serve(settings()))
