"""Every endpoint, port and size, read once at start: the platform's, and those of projects that come along.

Data flow: environment (`DAYBREAK_*`), three files of the home (`*.env`), the project's `daybreak.toml` -> `Settings`
Run: daybreak doctor
"""

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from infra import project_setting, tls_settings
from infra.airflow_settings import AirflowSettings
from infra.alarm_settings import Alarms
from infra.failures import PermanentFailure
from infra.gateway_settings import GatewaySettings
from infra.in_force import LAKE_FILE
from infra.installation import ROOT
from infra.jvm import base
from infra.kafka_settings import KafkaSettings
from infra.lineage_settings import Lineage
from infra.log_settings import Logs
from infra.notify_settings import Notify
from infra.options import OPTIONS_FILE, chosen
from infra.postgres_roles import PostgresRoles
from infra.project_setting import absolute
from infra.queue_settings import QueueSettings
from infra.registry import DEFAULT, every
from infra.retention import long_enough
from infra.settings_of_projects import OfProjects
from infra.spark_settings import SparkSettings
from infra.store_format import Store, usual
from infra.store_users import StoreUsers
from infra.tls_settings import has_tls, host, of_libpq

__all__ = ["ROOT", "Settings", "load", "settings"]


class PlatformSettings(
    AirflowSettings,
    Alarms,
    GatewaySettings,
    KafkaSettings,
    Lineage,
    Logs,
    Notify,
    PostgresRoles,
    QueueSettings,
    SparkSettings,
    StoreUsers,
):
    """The platform's settings. A service whose endpoint is set is yours, and the embedded one is not started."""

    model_config = SettingsConfigDict(env_prefix="DAYBREAK_", frozen=True, extra="ignore")

    home: Path = Field(ROOT / ".daybreak", description="All state that is not in the lake: data, logs, secrets, jars")
    project: str = Field(
        DEFAULT,
        description="The project, whose topics and views run: a module that can be imported, or a folder; by default "
        + every()[DEFAULT].title,
    )
    consumer_group: str = Field(
        "daybreak-stream", min_length=1, description="Consumer group that shows the stream's offsets to lag tools"
    )
    s3_endpoint: str = Field(
        default_factory=lambda d: tls_settings.url(d, "s3_port"), description="S3 endpoint of the lake"
    )
    s3_region: str = Field("us-east-1", description="S3 region")
    s3_access_key: str = Field(
        "", description="S3 access key that may do everything with the bucket; generated for the embedded store"
    )
    s3_secret_key: SecretStr = Field(SecretStr(""), description="Its secret key; generated for the embedded store")
    bucket: str = Field("lake", description="Bucket that holds the lake")
    store: Store = Field(
        default_factory=lambda d: usual(d["home"]),
        description="The embedded object store: `versitygw`, or `minio` for a home whose lake is in its format, which keeps it",
    )
    postgres_dsn: str = Field(
        default_factory=lambda d: f"host={host(d)} port={d['postgres_port']} user=daybreak{of_libpq(d)}",
        description="libpq connection string (no password) for leases and Airflow's metadata",
    )
    postgres_password: SecretStr = Field(
        SecretStr(""), description="Its password; of the embedded server's own role, which may do everything; generated"
    )
    slot_mb: int = Field(
        4096, ge=16, description="Log (MB) that Postgres keeps at most for a connector that stands still"
    )
    options: str = Field(
        "", description="Parts that are off by default, comma-separated; `daybreak up --with` keeps them"
    )
    supervisor_password: SecretStr = Field(
        SecretStr(""), description="Password of supervisor's control port; generated"
    )

    checkpoints: str = Field(
        default_factory=lambda d: f"file://{d['home']}/checkpoints",
        description="Where the stream keeps its checkpoints: any path Hadoop can open",
    )

    trigger_seconds: int = Field(1, ge=0, description="Trigger interval of the stream, in seconds")
    max_offsets_per_trigger: int = Field(
        20000,
        ge=1,
        description="Rate limit: most records per micro-batch; twice as many while 25 times as many wait",
    )
    max_mb_per_trigger: int = Field(64, ge=1, description="Memory limit: most MB per micro-batch, as read and unpacked")
    watermark_delay_seconds: int = Field(
        600,
        ge=0,
        description="Allowed lateness: the watermark is the newest event time minus this; older events are late",
    )
    watermark_alignment_seconds: int = Field(
        86400,
        ge=0,
        description="While the stream reads a backlog, the watermark waits for the slowest partition; at most for this much "
        "event time, since open rows take memory",
    )
    transaction_wait_seconds: int = Field(900, ge=0, description="How long the watermark waits for an open transaction")
    topic_partitions: int = Field(2, ge=1, description="Partitions of created topics")
    topic_retention_hours: int = Field(168, ge=1, description="Retention of created topics, in hours")
    approval_threshold: dict[str, Annotated[Decimal, Field(ge=0)]] = Field(
        default_factory=dict,
        description="JSON object, per view: the share of the truth by which a night may correct a day without approval",
    )
    approval_min_rows: int = Field(100, ge=1, description="A correction of fewer rows of a view needs no approval")
    keep_days: dict[Literal["bronze", "silver", "speed", "archive"], Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict,
        description="JSON object, per layer: rows older than this many days are deleted; other layers keep all rows",
    )
    lease_wait_seconds: int = Field(900, ge=0, description="How long a nightly step waits for a lease in use")

    @field_validator("keep_days")
    @classmethod
    def _a_redo_finds_its_day(cls, days: dict[str, int]) -> dict[str, int]:
        return long_enough(days)

    @field_validator("project")
    @classmethod
    def _found_from_anywhere(cls, project: str) -> str:
        return absolute(project)

    @field_validator("options")
    @classmethod
    def _known_options(cls, options: str) -> str:
        return ",".join(chosen(options))

    def has(self, option: str) -> bool:
        """Is this option on?"""
        return option in chosen(self.options)

    def embedded(self, endpoint: str) -> bool:
        """Is `endpoint` (a field name, e.g. `kafka_bootstrap`) served by a process of ours?"""
        return endpoint not in self.model_fields_set

    @property
    def has_tls(self) -> bool:
        """Do the embedded services speak TLS?"""
        return has_tls(vars(self))

    @property
    def clients_host(self) -> str:
        """Where clients find the embedded services, which listen on loopback."""
        return host(vars(self))

    @property
    def lake(self) -> str:
        """Root of the lake as Spark writes it."""
        return f"s3a://{self.bucket}"

    def jvm(self, more: str = "") -> list[str]:
        """The options of a program's JVM, except its heap; `more` are its own options, e.g. `night_jvm`, perhaps a collector."""
        return [*base(more), f"-Djava.io.tmpdir={self.home}/tmp", *more.split()]


class Settings(OfProjects, PlatformSettings):
    """All of them. Projects' come last, and may follow the platform's."""


def load() -> Settings:
    """Read the settings afresh. Raises PermanentFailure with one sentence that names the wrong one."""
    asked = project_setting.asked_for()
    home = project_setting.home_of(asked)
    project = project_setting.noted(home) or DEFAULT if asked is None else asked
    files = (home / "secrets.env", home / OPTIONS_FILE, home / LAKE_FILE)
    secret = {name: _is_secret(name) for name in Settings.model_fields}
    below = project_setting.below(project, files, secret)
    try:
        return Settings(_env_file=files, **{**below, "home": home, "project": project})
    except ValidationError as wrong:
        first = wrong.errors()[0]
        name = "DAYBREAK_" + "_".join(str(part) for part in first["loc"]).upper()
        is_secret = _is_secret(str(first["loc"][0])) or "@" in str(first["input"])  # a URL's password
        got = "" if is_secret else f" (got {first['input']!r})"
        raise PermanentFailure(f"setting {name} is wrong: {first['msg']}{got}") from None
    except SettingsError as wrong:
        field = str(wrong).partition('"')[2].partition('"')[0]
        raise PermanentFailure(f"setting DAYBREAK_{field.upper()} is wrong: it is not JSON") from None


def _is_secret(name: str) -> bool:
    return Settings.model_fields[name].annotation is SecretStr


@cache
def settings() -> Settings:
    """The settings of this process."""
    return load()
