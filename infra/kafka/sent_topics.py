"""Ask the layer that has the contracts which topics others than the platform write: this one knows no topic.

Data flow: python -m streaming.sent_topics -> topics by user -> infra/kafka/rights.py
Run: daybreak up --only kafka
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Mapping

from infra.failures import PermanentFailure
from infra.kafka_users import User
from infra.services.program import shared_env
from infra.settings import ROOT, Settings

Sent = Mapping[User, Collection[str]]
"""The topics of each user that sends events."""
COMMAND = ("-m", "streaming.sent_topics")


def sent_topics(s: Settings) -> Sent:
    """By the contracts in force. Raises PermanentFailure if they cannot be read."""
    asked = subprocess.run(
        [sys.executable, *COMMAND], capture_output=True, text=True, cwd=ROOT, env=os.environ | shared_env(s)
    )
    if asked.returncode:
        last = asked.stderr.strip().splitlines()[-1:] or [f"exit {asked.returncode}"]
        raise PermanentFailure(f"the topics that may be written are not known (python {' '.join(COMMAND)}): {last[0]}")
    return {User(name): topics for name, topics in json.loads(asked.stdout).items()}
