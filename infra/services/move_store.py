"""Move a home's lake from MinIO's format into versitygw's, while the platform is down.

Data flow: `<home>/minio` -> both servers -> `<home>/moving/store`, which becomes `<home>/store` when all is there
Run: daybreak move-store
"""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import urllib3
from minio.error import MinioException

from infra.failures import PermanentFailure, TransientFailure
from infra.lake.copied import copy
from infra.lake.s3 import client
from infra.services import ports, store
from infra.services.supervisor import MARK, Supervisor
from infra.settings import Settings
from infra.store_format import kept, versitygw_folder
from infra.store_users import User

ANSWER_SECONDS = 60


def move(s: Settings, done: Callable[[int], None]) -> int:
    """Move all buckets; the number of objects. What MinIO has stays, and an interrupted move begins anew.

    Raises PermanentFailure if there is nothing to move or the platform is up, TransientFailure if a store does not answer.
    """
    if not s.embedded("s3_endpoint") or kept(s.home) != "minio":
        raise PermanentFailure(f"there is nothing to move: no lake of the home {s.home} is in MinIO's format")
    if Supervisor(s).is_running():
        raise PermanentFailure("the platform is up, and its lake must stand still while it is moved: daybreak down")
    moving = s.home / "moving"
    shutil.rmtree(moving, ignore_errors=True)
    moving.mkdir()
    (moving / "bin").symlink_to((s.home / "bin").resolve())
    # While the platform is down the ports of its other services are free.
    at = {"s3_port": s.kafka_port, "s3_endpoint": f"http://127.0.0.1:{s.kafka_port}"}
    # For the two of them, on loopback and for this while, certificates need not be there.
    s = s.model_copy(update={"tls": "off"})
    old, new = (
        s.model_copy(update={"store": "minio", "s3_endpoint": f"http://127.0.0.1:{s.s3_port}"}),
        s.model_copy(update={"store": "versitygw", "home": moving, **at}),
    )
    try:
        with _running(old, s), _running(new, s):
            number = copy(client(old, user=User.ROOT), client(new, user=User.ROOT), versitygw_folder(moving), done)
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        raise TransientFailure(f"the lake is not moved, and as it was: {failure}") from failure
    # An empty one may have been begun.
    shutil.rmtree(s.home / "store", ignore_errors=True)
    (moving / "store").rename(s.home / "store")
    shutil.rmtree(moving)
    return number


@contextmanager
def _running(s: Settings, whole: Settings) -> Iterator[None]:
    program = store.program(s)
    if taken_by := ports.owner(s.s3_port):
        raise PermanentFailure(f"port {s.s3_port} is taken by {taken_by}: stop that first")
    program.prepare()
    (whole.home / "logs").mkdir(exist_ok=True)
    # Marked, and in a session of its own, `daybreak up` finds it if this process is killed.
    env = os.environ | program.env | {MARK: str(whole.home)}
    log = (whole.home / "logs" / f"move-{s.store}.log").open("wb")
    with log, subprocess.Popen(program.command, env=env, stdout=log, stderr=log, start_new_session=True) as process:
        try:
            give_up = time.monotonic() + ANSWER_SECONDS
            while wants := program.waits_for(process.pid):
                if process.poll() is not None or time.monotonic() > give_up:
                    raise TransientFailure(f"{s.store} does not start, it waits for {wants}; see {log.name}")
                time.sleep(0.1)
            program.complete()
            yield
        finally:
            process.terminate()
