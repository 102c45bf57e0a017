"""The ports of the embedded services: each is a setting, and all move together.

Data flow: DAYBREAK_PORT_BASE, DAYBREAK_<SERVICE>_PORT -> Settings
Run: daybreak doctor
"""

from typing import Any

from pydantic import Field

from infra.tls_settings import TlsSettings


def _port(offset: int) -> Any:
    return Field(default_factory=lambda data: data["port_base"] + offset, ge=1, le=65535)


class Ports(TlsSettings):
    """The first port, and each service's own."""

    port_base: int = Field(21000, ge=1024, le=65000, description="First of the ports of the embedded services")

    kafka_port: int = _port(0)
    kafka_controller_port: int = _port(1)
    s3_port: int = _port(2)
    s3_console_port: int = _port(3)
    postgres_port: int = _port(4)
    gateway_port: int = _port(5)
    airflow_port: int = _port(6)
    stream_ui_port: int = _port(7)
    supervisor_port: int = _port(8)
    docs_port: int = _port(9)
    connect_port: int = _port(10)
    cache_port: int = _port(11)
    webhooks_port: int = _port(12)
    queue_port: int = _port(13)
    kafka_2_port: int = _port(16)
    kafka_2_controller_port: int = _port(17)
    kafka_3_port: int = _port(18)
    kafka_3_controller_port: int = _port(19)
