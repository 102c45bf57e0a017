"""Kafka Connect's REST interface, as far as one connector needs it.

Data flow: request -> Kafka Connect -> answer
Run: daybreak status
"""

from typing import TYPE_CHECKING, Any

from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.settings import shops
from infra.tls.trust import ours
from infra.tls_settings import url

if TYPE_CHECKING:
    import httpx

NAME = "shop"
"""The connector."""
USER = "owner"
SECONDS = 10
"""Longest wait for an answer; a worker whose broker has just come back may take longer."""


def asked(
    s: Settings,
    method: str,
    what: str = "",
    body: dict[str, str] | None = None,
    name: str = NAME,
    seconds: float = SECONDS,
) -> "httpx.Response":
    """The answer to a request about a connector, e.g. `/status`. Raises TransientFailure if Connect does not answer."""
    # It takes a quarter of a second to import, and every `daybreak status` and every start of the stream imports this module.
    import httpx

    at = f"{url(vars(s), 'connect_port')}/connectors/{name}{what}"
    # On loopback, where no proxy can reach it.
    try:
        with httpx.Client(trust_env=False, timeout=seconds, auth=access(s), verify=ours(s) or True) as client:
            return client.request(method, at, json=body)
    except httpx.HTTPError as failure:
        raise TransientFailure(f"Kafka Connect does not answer on port {s.connect_port}") from failure


def access(s: Settings) -> tuple[str, str]:
    """User and password of the interface: a connector is code, so whoever makes one is the platform's owner."""
    return USER, shops(s).connect_password.get_secret_value()


def done(answer: "httpx.Response") -> None:
    """Raise TransientFailure if Connect refused."""
    if answer.is_error:
        request = answer.request
        raise TransientFailure(f"Kafka Connect refuses {request.method} {request.url.path}: {answer.text[:200]}")


def said(s: Settings, name: str = NAME) -> dict[str, Any] | None:
    """What Connect says of a connector and its task; None if there is none. Raises TransientFailure."""
    answer = asked(s, "GET", "/status", name=name)
    if answer.status_code == 404:
        return None
    done(answer)
    return dict(answer.json())


def state(s: Settings, name: str = NAME) -> str:
    """Of a connector and its task the one that is worse: RUNNING, UNASSIGNED, FAILED...; ABSENT if there is none."""
    now = said(s, name)
    if now is None:
        return "ABSENT"
    found = [now["connector"]["state"], *(task["state"] for task in now["tasks"])]
    if "FAILED" in found:
        return "FAILED"
    if found == ["RUNNING"]:
        # Its task is not made yet.
        return "UNASSIGNED"
    return next((one for one in found if one != "RUNNING"), "RUNNING")
