"""Settings of the three processes that run Spark: the stream, the night and the SQL gateway.

Data flow: DAYBREAK_SPARK_..., DAYBREAK_STREAM_..., DAYBREAK_NIGHT_..., DAYBREAK_GATEWAY_CONF -> Settings
Run: daybreak doctor
"""

from ipaddress import ip_address
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.jvm import LATER_C2, QUICK_JVM


class SparkSettings(BaseSettings):
    """Where they run, and what each may take: on a cluster each is an application of its own, with its own share."""

    spark_master: str = Field("local[2]", description="Spark master of the stream, the night and the SQL gateway")
    spark_address: str = Field(
        "127.0.0.1",
        description="With a cluster: the one address of this machine at which the drivers listen; executors must reach it",
    )
    spark_secret: SecretStr = Field(
        SecretStr(""),
        description="With a standalone master: authenticates and encrypts all of Spark's connections; generated",
    )
    spark_ui_password: SecretStr = Field(
        SecretStr(""), description="Password of Spark's pages, whose user is `owner`; generated"
    )
    cluster_cores: int = Field(
        2,
        ge=1,
        description="Cores of the cluster: half of them are the stream's, a quarter the night's, a quarter the gateway's, "
        "each one at least",
    )
    spark_conf: dict[str, str] = Field(
        default_factory=dict, description="More Spark settings of every session as JSON, e.g. spark.executor.memory"
    )
    stream_conf: dict[str, str] = Field(
        default_factory=dict, description="The same for the stream alone, e.g. spark.cores.max; wins over SPARK_CONF"
    )
    night_conf: dict[str, str] = Field(default_factory=dict, description="The same for the night alone")
    gateway_conf: dict[str, str] = Field(default_factory=dict, description="The same for the SQL gateway alone")
    resources_seconds: int = Field(
        60,
        ge=1,
        description="Longest wait (s) for the first executor of a cluster; then a sentence says what was asked for",
    )
    stream_memory: str = Field("1280m", description="Driver heap of the stream")
    night_memory: str = Field("1536m", description="Driver heap of a nightly step")
    stream_jvm: str = Field(LATER_C2, description="More options of the stream's JVM (infra/jvm.py)")
    night_jvm: str = Field(QUICK_JVM, description="More options of a nightly step's JVM (infra/jvm.py)")
    stream_profile: Literal["small", "spark"] = Field(
        "small",
        description="How the stream runs: `small` suits two cores, and its driver holds a micro-batch's rows; `spark`, for a "
        "cluster, keeps Spark's defaults and leaves rows to tasks. DAYBREAK_SPARK_CONF and DAYBREAK_STREAM_CONF override both",
    )

    @field_validator("spark_address")
    @classmethod
    def _a_named_address(cls, address: str) -> str:
        try:
            is_every = ip_address(address.strip("[]")).is_unspecified
        except ValueError:
            is_every = not address
        if is_every:
            raise ValueError("it must be one address: the drivers never listen on all interfaces")
        return address

    @property
    def keeps_rows_in_tasks(self) -> bool:
        """Does the stream leave records and rows to Spark's tasks? In the small profile they are in its driver."""
        return self.stream_profile == "spark"

    @property
    def of_stream(self) -> dict[str, str]:
        """What a person has set for the stream."""
        return self.spark_conf | self.stream_conf

    @property
    def of_night(self) -> dict[str, str]:
        """What a person has set for the night."""
        return self.spark_conf | self.night_conf

    @property
    def of_gateway(self) -> dict[str, str]:
        """What a person has set for the SQL gateway."""
        return self.spark_conf | self.gateway_conf
