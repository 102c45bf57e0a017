"""Start a program with environment values that supervisor's configuration cannot hold: a quote, `#`, `;`, a line's end.

Data flow: ENCODED (a JSON object in base64) -> environment variables -> the program, in this process
Run: daybreak up

Supervisor cuts a line at ` ;` and ` #`, reads `%` as an expansion, and has no sign for a quote within quotes.
It runs as a file, without this package and without site-packages: a start costs 15 ms.
"""

import base64
import json
import os
import sys
from collections.abc import Mapping

ENCODED = "DAYBREAK_PROGRAM_ENV"
"""The environment variable that carries the values; the program does not see it."""


def encoded(env: Mapping[str, str]) -> str:
    """Values in letters, digits, + / and =."""
    return base64.b64encode(json.dumps(env).encode()).decode()


def launch(command: list[str], env: Mapping[str, str]) -> None:
    """Become `command`, with the environment `env` and what its ENCODED holds. Does not return."""
    own = {**env}
    own |= json.loads(base64.b64decode(own.pop(ENCODED)))
    os.execvpe(command[0], command, own)


if __name__ == "__main__":
    launch(sys.argv[1:], os.environ)
