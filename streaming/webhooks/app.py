"""The web application: `POST /topics/<topic>`, and what it answers.

Data flow: request -> who, signature, topic, rate, key -> Log -> 200 with the record's place, or Refused as JSON
Run: daybreak up --with webhooks

Who has not signed learns nothing about topics and senders. Only a request with a right signature takes from its sender's rate, so
nobody can use up another's.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from infra.failures import PermanentFailure
from infra.settings import Settings
from streaming.contracts.contract import Contract
from streaming.webhooks import signature, topics
from streaming.webhooks.check import check
from streaming.webhooks.deliver import Log
from streaming.webhooks.rate import Rates
from streaming.webhooks.refused import Refused, Why
from streaming.webhooks.request import body_of, key_in, require_json
from streaming.webhooks.senders import Sender, Senders
from streaming.webhooks.signature import ID, SENDER, SIGNATURE, TIME

NOBODY = (b"\0" * signature.SECRET_BYTES,)
"""Keys of a sender that there is not: its signature is compared like any other, and never right."""


class Webhooks:
    """Answers requests. `outcomes` counts them: `written`, or the name of why not."""

    def __init__(self, s: Settings, senders: Senders, log: Callable[[], Log], rates: Rates | None = None) -> None:
        self.outcomes: Counter[str] = Counter()
        self._settings, self._senders, self._log, self._rates = s, senders, log, rates or Rates()
        self.app = Starlette(
            routes=[Route("/topics/{topic}", self._post, methods=["POST"])],
            exception_handlers={Refused: self._refuse, HTTPException: self._no_page, Exception: self._fault},
        )

    async def _post(self, request: Request) -> JSONResponse:
        body = await body_of(request)
        sender, identity = self._sender(request, body)
        contract = topics.of(self._settings, request.path_params["topic"], sender.topics, sender.name)
        is_check = _is_check(request)
        self._rates.take(sender)
        require_json(request)
        key, event_id = key_in(body, contract)
        if is_check:
            return await self._checked(contract, key, body)
        headers: list[tuple[str, str | bytes | None]] = [(SENDER, sender.name), (ID, identity)]
        written = await self._log().write(contract.topic, key, body, headers)
        self.outcomes["written"] += 1
        place = {"topic": contract.topic, "partition": written.partition, "offset": written.offset}
        return JSONResponse({"written": True, "event_id": event_id, **place})

    async def _checked(self, contract: Contract, key: bytes, body: bytes) -> JSONResponse:
        # In a thread: the first check of a topic builds its rules.
        found = await asyncio.to_thread(check, contract, key, body, time.time_ns() // 1_000_000)
        self.outcomes["checked"] += 1
        own = {"valid": found.is_valid, "reasons": found.reasons, "not_checked": found.not_checked}
        return JSONResponse({"written": False, **own, "what": f"nothing is written; {found.sentence}"})

    def _sender(self, request: Request, body: bytes) -> tuple[Sender, str]:
        """Whose signature the request has, and its id. Raises Refused."""
        try:
            found = self._senders.now().get(request.headers.get(SENDER, ""))
        except PermanentFailure as failure:
            raise Refused(Why.NO_SENDERS, str(failure), retry_after=60) from failure
        now, identity = time.time(), request.headers.get(ID)
        keys = found.keys(now) if found else NOBODY
        signature.verify(keys, identity, request.headers.get(TIME), request.headers.get(SIGNATURE), body, now)
        if found is None or identity is None:
            raise Refused(Why.BAD_SIGNATURE, "the signature is nobody's")
        return found, identity

    async def _refuse(self, request: Request, refused: Exception) -> JSONResponse:
        assert isinstance(refused, Refused)
        self.outcomes[refused.why.value] += 1
        return JSONResponse(refused.body, refused.status, refused.headers)

    async def _no_page(self, request: Request, wrong: Exception) -> JSONResponse:
        assert isinstance(wrong, HTTPException)
        is_method = wrong.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        what = f"{request.method} {request.url.path} is nothing here: events are taken by POST /topics/<topic>"
        refused = Refused(Why.WRONG_METHOD if is_method else Why.NO_SUCH_PAGE, what)
        refused.headers = dict(wrong.headers or {})
        return await self._refuse(request, refused)

    async def _fault(self, request: Request, wrong: Exception) -> JSONResponse:
        """A mistake of ours; Starlette raises it again for the log. Whether it was written is not known."""
        self.outcomes["fault"] += 1
        body = {"error": "fault", "what": "a fault of the platform: see `daybreak logs webhooks`", "written": None}
        return JSONResponse(body, HTTPStatus.INTERNAL_SERVER_ERROR)


def _is_check(request: Request) -> bool:
    """Who asks for something else must not write instead, so no parameter is passed over."""
    given = request.query_params.multi_items()
    if given in ([], [("check", "1")]):
        return bool(given)
    names = ", ".join(f"{name}={value}" for name, value in given)
    raise Refused(Why.UNKNOWN_PARAMETER, f"there is no parameter {names}: POST /topics/<topic> takes check=1 or none")
