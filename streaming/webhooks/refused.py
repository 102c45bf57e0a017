"""Why a request was not taken: its status, a name for programs, and a sentence with the way out for people.

Data flow: a broken rule -> Refused -> JSON body and headers
Run: pytest tests/streaming/webhooks
"""

import math
from enum import StrEnum
from http import HTTPStatus


class Why(StrEnum):
    """Every reason, as `error` in the answer's body."""

    UNSIGNED = "unsigned"
    BAD_SIGNATURE = "bad_signature"
    BAD_TIME = "bad_time"
    NO_SUCH_PAGE = "no_such_page"
    UNKNOWN_TOPIC = "unknown_topic"
    NOT_YOURS = "not_yours"
    NOT_WRITABLE = "not_writable"
    WRONG_METHOD = "wrong_method"
    UNKNOWN_PARAMETER = "unknown_parameter"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    TOO_MANY = "too_many"
    WRONG_CONTENT_TYPE = "wrong_content_type"
    NOT_JSON = "not_json"
    MISSING_FIELD = "missing_field"
    NO_SENDERS = "no_senders"
    QUEUE_FULL = "queue_full"
    KAFKA_AWAY = "kafka_away"
    NO_TOPIC_YET = "no_topic_yet"
    REFUSED_BY_KAFKA = "refused_by_kafka"
    NOT_CONFIRMED = "not_confirmed"
    ENDED = "ended"


STATUS: dict[Why, HTTPStatus] = {
    Why.UNSIGNED: HTTPStatus.UNAUTHORIZED,
    Why.BAD_SIGNATURE: HTTPStatus.UNAUTHORIZED,
    Why.BAD_TIME: HTTPStatus.UNAUTHORIZED,
    Why.NO_SUCH_PAGE: HTTPStatus.NOT_FOUND,
    Why.UNKNOWN_TOPIC: HTTPStatus.NOT_FOUND,
    Why.NOT_YOURS: HTTPStatus.FORBIDDEN,
    Why.NOT_WRITABLE: HTTPStatus.FORBIDDEN,
    Why.WRONG_METHOD: HTTPStatus.METHOD_NOT_ALLOWED,
    Why.UNKNOWN_PARAMETER: HTTPStatus.BAD_REQUEST,
    Why.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Why.TOO_SLOW: HTTPStatus.REQUEST_TIMEOUT,
    Why.TOO_MANY: HTTPStatus.TOO_MANY_REQUESTS,
    Why.WRONG_CONTENT_TYPE: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Why.NOT_JSON: HTTPStatus.BAD_REQUEST,
    Why.MISSING_FIELD: HTTPStatus.UNPROCESSABLE_ENTITY,
    Why.NO_SENDERS: HTTPStatus.SERVICE_UNAVAILABLE,
    Why.QUEUE_FULL: HTTPStatus.SERVICE_UNAVAILABLE,
    Why.KAFKA_AWAY: HTTPStatus.SERVICE_UNAVAILABLE,
    Why.NO_TOPIC_YET: HTTPStatus.SERVICE_UNAVAILABLE,
    Why.REFUSED_BY_KAFKA: HTTPStatus.INTERNAL_SERVER_ERROR,
    Why.NOT_CONFIRMED: HTTPStatus.SERVICE_UNAVAILABLE,
    Why.ENDED: HTTPStatus.SERVICE_UNAVAILABLE,
}


class Refused(Exception):
    """A request that is not taken. `retry_after` (seconds) is set where the same request may be taken later.

    Nothing was written, but where `written` is None: then nobody knows yet, and sending it again is right, because the stream
    counts an event_id once.
    """

    def __init__(self, why: Why, what: str, retry_after: float | None = None, written: bool | None = False) -> None:
        super().__init__(what)
        self.why, self.what, self.written = why, what, written
        self.headers = {} if retry_after is None else {"Retry-After": str(max(1, math.ceil(retry_after)))}

    @property
    def status(self) -> HTTPStatus:
        """The status of the answer."""
        return STATUS[self.why]

    @property
    def body(self) -> dict[str, str | bool | None]:
        """The answer's JSON object."""
        return {"error": self.why.value, "what": self.what, "written": self.written}
