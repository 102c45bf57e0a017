"""What only an option needs is fetched when that is turned on.

Data flow: Step -> its files, or what to do
Run: daybreak up --with queue
"""

from infra.failures import PermanentFailure
from infra.setup.step import SetupFailure, Step, run


def ensure(step: Step) -> None:
    """Fetch it if it is not there. Raises PermanentFailure with what to do."""
    try:
        run([step])
    except SetupFailure as failure:
        raise PermanentFailure(str(failure)) from failure
