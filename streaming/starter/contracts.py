"""The topics: what each carries, and what it rejects.

Data flow: records of Kafka -> Contract -> events, or quarantine with reasons
Run: pytest tests
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, between, matches

READINGS = Contract(
    topic="readings",
    description="Temperatures, as sensors measured them.",
    key="sensor_id",
    payload=struct(
        column("sensor_id", "string", "The sensor"),
        column("millidegrees", "bigint", "What it measured, in thousandths of a degree Celsius"),
    ),
    required={"reading_taken": ("sensor_id", "millidegrees")},
    rules=(matches("sensor_id", "s-[0-9]{1,6}"), between("millidegrees", -90_000, 90_000)),
)

CONTRACTS = (READINGS,)
"""One line for each topic."""
