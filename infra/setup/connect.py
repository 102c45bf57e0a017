"""The jars of Kafka Connect and Debezium, which only an option of a project needs.

Data flow: infra/ivy.xml -> Ivy -> each file checked against infra/jars.lock -> `.daybreak/jars/connect`
Run: python3 -m infra.setup connect
"""

from infra.setup import pins
from infra.setup.environment import STEP as PYTHON
from infra.setup.jars import IVY_FILE, JARS, fetch, missing
from infra.setup.step import Step, digest

CONFIGURATION = "connect"
STEP = Step(
    name=CONFIGURATION,
    says="Kafka Connect and Debezium, from infra/ivy.xml (41 MB, about a minute)",
    stamp=JARS / f"{CONFIGURATION}.stamp",
    made_from=lambda: digest(IVY_FILE, pins.said(CONFIGURATION)),
    install=lambda: fetch(CONFIGURATION),
    complete=lambda: not missing(CONFIGURATION),
    after=PYTHON.name,
)
