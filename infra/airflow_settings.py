"""Settings of Airflow, and who logs in to the embedded one.

Data flow: DAYBREAK_AIRFLOW_... -> Settings
Run: daybreak connect airflow

What each of them may do is in infra/airflow/rights.py.
"""

from enum import StrEnum

from pydantic import Field, SecretStr

from infra.generated import password
from infra.port_settings import Ports
from infra.tls_settings import url


class AirflowUser(StrEnum):
    """A user of the embedded Airflow. `DAYBREAK_AIRFLOW_USER` may name the operator otherwise."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


class AirflowSettings(Ports):
    """Where it is, and who logs in."""

    airflow_url: str = Field(default_factory=lambda d: url(d, "airflow_port"), description="Airflow's API and UI")
    airflow_user: str = Field(
        str(AirflowUser.OPERATOR),
        min_length=1,
        pattern="^[^:,]+$",
        description="Airflow user that the command line logs in as",
    )
    airflow_password: SecretStr = password("that user, in the embedded Airflow an operator")
    airflow_viewer_password: SecretStr = password("Airflow's user `viewer`, who changes nothing")
    airflow_admin_password: SecretStr = password("Airflow's user `admin`, who may do everything")
    airflow_keep_days: int = Field(
        365, ge=31, description="Days for which the embedded Airflow's database keeps runs, tasks, results and its log"
    )
    airflow_jwt_secret: SecretStr = Field(SecretStr(""), description="Signs Airflow's internal tokens; generated")
    airflow_fernet_key: SecretStr = Field(SecretStr(""), description="Encrypts Airflow's connections; generated")
