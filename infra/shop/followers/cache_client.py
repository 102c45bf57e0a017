"""The client of the cache, and its errors by type.

Data flow: Settings -> client of Valkey or Redis
Run: daybreak follower get products p-1
"""

from collections.abc import Iterator
from contextlib import contextmanager

from valkey import Valkey
from valkey import exceptions as errors

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.shop.settings import shops

SECONDS = 10
EVICTING = ("allkeys-lru", "allkeys-lfu", "allkeys-random")
"""What a server may do that has too little memory: drop keys of ours without a word. Our keys never expire by themselves."""


def client(s: Settings) -> Valkey:
    """A client; it connects with its first command."""
    password = shops(s).cache_password.get_secret_value() or None
    limits = {"socket_timeout": SECONDS, "socket_connect_timeout": SECONDS}
    return Valkey.from_url(shops(s).cache_url, password=password, decode_responses=True, **limits)


@contextmanager
def answers(s: Settings) -> Iterator[None]:
    """Turn the client's errors into a PermanentFailure where a retry cannot help, else into a TransientFailure."""
    try:
        yield
    except errors.OutOfMemoryError as failure:
        raise PermanentFailure(full(s)) from failure
    except errors.AuthenticationError as failure:
        raise PermanentFailure(f"the cache refuses the password: set DAYBREAK_CACHE_PASSWORD ({failure})") from failure
    except (errors.ConnectionError, errors.TimeoutError) as failure:
        raise TransientFailure(f"the cache does not answer: {failure} (see `daybreak status`)") from failure
    except errors.ValkeyError as failure:
        if "OOM" in str(failure):
            raise PermanentFailure(full(s)) from failure
        raise PermanentFailure(f"the cache refuses: {failure}") from failure


def full(s: Settings) -> str:
    """What to do where the cache has no memory left."""
    if s.embedded("cache_url"):
        return (
            f"the cache is full: it may take {shops(s).cache_mb} MB. Raise DAYBREAK_CACHE_MB, then daybreak restart cache, and "
            "daybreak restart follower-cache"
        )
    return "the cache is full: give your server more `maxmemory`, then daybreak restart follower-cache"


def keeps_all(own: Valkey) -> None:
    """Raises PermanentFailure if the server would drop rows by itself when its memory is full."""
    said = own.info("memory")
    if said.get("maxmemory") and said.get("maxmemory_policy") in EVICTING:
        raise PermanentFailure(
            f"the cache may drop rows by itself (its maxmemory-policy is {said['maxmemory_policy']}), and nobody would know "
            "which: set it to noeviction"
        )
