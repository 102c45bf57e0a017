"""A certificate near its end, or past it, or no longer fit, is a problem before clients say so.

Data flow: `<home>/tls`, files of yours, now -> Problems
Run: daybreak status --problems
"""

from datetime import UTC, datetime

from infra.failures import PermanentFailure
from infra.problems import Problem
from infra.settings import Settings
from infra.tls.check import refuse_unfit
from infra.tls.prepare import RENEWED_BEFORE, is_yours, served, yours

YOURS = "put another one in its place (DAYBREAK_TLS_CERTIFICATE, _KEY, _CA), then: daybreak up"
AGAIN = "daybreak up makes another one, and starts each program with it"


def look(s: Settings, now: datetime | None = None) -> list[Problem]:
    """Of what is served, and of the files of yours that the next `daybreak up` would take."""
    if not s.has_tls:
        return []
    at, found = now or datetime.now(UTC), list[Problem]()
    try:
        mend = YOURS if is_yours(s) else AGAIN
        if own := served(s):
            if at > own.ends - RENEWED_BEFORE:
                ends = "has ended" if at > own.ends else "ends"
                on = f"{own.ends:%Y-%m-%d %H:%M} UTC"
                what = f"the certificate of the embedded services {ends} on {on}: then no client takes it"
                found.append(Problem("tls.ends", what, mend))
            else:
                refuse_unfit(own, s.tls_host, at)
        if is_yours(s):
            refuse_unfit(yours(s), s.tls_host, at)
    except PermanentFailure as wrong:
        found.append(Problem("tls.unfit", str(wrong), YOURS))
    return found
