"""Readings of sensors, and a changelog of the sensors: a project as unlike the shop as a small one can be.

Data flow: topics `readings` and `sensors`, both keyed by sensor_id -> CONTRACTS
Run: pytest tests/streaming/test_second_project.py
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, between, is_text, length_between, matches

SENSOR = "s-[0-9]{1,6}"

READINGS = Contract(
    topic="readings",
    description="Temperatures, as sensors measured them.",
    key="sensor_id",
    payload=struct(
        column("sensor_id", "string", "The sensor"),
        column("celsius", "double", "What it measured"),
        column("battery", "int", "What is left of its battery, in percent; null if it has a plug"),
    ),
    required={"reading_taken": ("sensor_id", "celsius")},
    rules=(matches("sensor_id", SENSOR), between("celsius", -90, 90), between("battery", 0, 100)),
)

SENSORS = Contract(
    topic="site.sensors",
    description="Changelog of sensors: hung up, or taken down.",
    key="sensor_id",
    payload=struct(
        column("sensor_id", "string", "The sensor"),
        column("room", "string", "Where it hangs; null once it was taken down"),
    ),
    required={"sensor_hung": ("sensor_id", "room"), "sensor_taken_down": ("sensor_id",)},
    rules=(matches("sensor_id", SENSOR), is_text("room"), length_between("room", 1, 40)),
)

CONTRACTS = (READINGS, SENSORS)
