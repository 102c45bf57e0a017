"""The settings of the SQL gateway, and of what people and dbt do through it.

Data flow: DAYBREAK_GATEWAY_*, DAYBREAK_GOLD_PROFILE, DAYBREAK_QUERY_ROWS -> Settings
Run: daybreak doctor
"""

from typing import Literal

from pydantic import Field, SecretStr

from infra.generated import password
from infra.jvm import SHARED_JVM
from infra.port_settings import Ports
from infra.tls_settings import host


class GatewaySettings(Ports):
    """Where it is, what it may use, and how much a statement may ask for."""

    gateway_host: str = Field(
        default_factory=host, description="Host of the Spark Thrift server that dbt and `query` use"
    )
    gateway_memory: str = Field("1g", description="Driver heap of the SQL gateway")
    gateway_jvm: str = Field(SHARED_JVM, description="More options of the SQL gateway's JVM (infra/jvm.py)")
    gateway_metastore: str = Field(
        "", description="Folder of the embedded SQL gateway's catalogue; empty is `<home>/gateway/metastore`"
    )
    gateway_query_seconds: int = Field(
        1800, ge=0, description="Longest time of one statement in the SQL gateway, but for dbt's; 0 is no limit"
    )
    gateway_spill_mb: int = Field(
        4096,
        ge=64,
        description="Disk (MB) that statements in the SQL gateway may fill for sorts and joins, all together",
    )
    query_rows: int = Field(
        100_000, ge=1, description="Most rows that `daybreak query` fetches; beyond, it says how to see all of them"
    )
    gateway_reader_rows: int = Field(
        1_000_000, ge=1, description="Most rows of one answer to the gateway's user `reader`; a larger one is refused"
    )
    gateway_writer_password: SecretStr = password("the gateway's user `writer`: dbt and the platform")
    gateway_reader_password: SecretStr = password("its user `reader`: people and BI tools")
    gold_profile: Literal["small", "spark"] = Field(
        "small",
        description="Spark settings of dbt's sessions: `small` suits two cores, `spark` keeps the gateway's; "
        "DAYBREAK_SPARK_CONF overrides both",
    )
