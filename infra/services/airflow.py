"""Airflow's four components, each a program of its own.

Data flow: Settings -> environment (`AIRFLOW__*`) -> database, pools -> four Programs
Run: daybreak up --only postgres,airflow-api,airflow-scheduler,airflow-dag-processor,airflow-triggerer
"""

import json
import os
import subprocess
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from infra import owner_file, rotation
from infra.airflow import database, users
from infra.airflow_settings import AirflowUser
from infra.class_archive import spark_jvm
from infra.failures import TransientFailure
from infra.services import health
from infra.services.program import BIN, Name, Program, settings_env, shared_env
from infra.settings import ROOT, Settings
from infra.tls.files import files

POOLS = {"night": "writer of archive, truth and reconciliation", "gateway": "writer of gold"}
"""One slot each: one process at a time writes a layer."""


def environment(s: Settings) -> dict[str, str]:
    """Airflow's whole configuration; it has no file of its own."""
    spark = {
        "conn_type": "spark",
        "host": s.spark_master,
        "extra": {"spark-binary": "spark-submit", "deploy-mode": "client"},
    }
    everyone = [users.login(s, user) for user in AirflowUser]
    sections: dict[str, dict[str, object]] = {
        "CORE": {
            "DAGS_FOLDER": ROOT / "dags",
            "PLUGINS_FOLDER": ROOT / "dags" / "plugins",
            "EXECUTOR": "LocalExecutor",
            "PARALLELISM": 3,
            # A night that recomputes all of history has a task per day: this is eleven years.
            "MAX_MAP_LENGTH": 4096,
            "LOAD_EXAMPLES": False,
            "DAGS_ARE_PAUSED_AT_CREATION": True,
            "FERNET_KEY": _fernet_keys(s)[0],
            "AUTH_MANAGER": "infra.airflow.roles.Roles",
            "SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{one.name}:{one.role}" for one in everyone),
            "SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": s.home / "airflow" / "passwords.json",
            "EXECUTION_API_SERVER_URL": f"{s.airflow_url}/execution/",
            "DEFAULT_TIMEZONE": "utc",
            # The default asks a name server, and waits where there is none.
            "HOSTNAME_CALLABLE": "socket.gethostname",
            "MIN_SERIALIZED_DAG_UPDATE_INTERVAL": 5,
        },
        "DATABASE": {"SQL_ALCHEMY_POOL_SIZE": 3, **database.configuration(s)},
        "API": {
            "BASE_URL": s.airflow_url,
            "HOST": "127.0.0.1",
            "PORT": s.airflow_port,
            "WORKERS": 1,
            **(_encrypted(s) if s.has_tls else {}),
        },
        "API_AUTH": {"JWT_SECRET": s.airflow_jwt_secret.get_secret_value()},
        # Airflow sets modes itself, by default for its group too.
        "LOGGING": {
            "BASE_LOG_FOLDER": s.home / "airflow" / "logs",
            "FILE_TASK_HANDLER_NEW_FOLDER_PERMISSIONS": "0o700",
            "FILE_TASK_HANDLER_NEW_FILE_PERMISSIONS": "0o600",
        },
        # The first interval finds new and changed files; the second parses unchanged ones again, which costs CPU.
        "DAG_PROCESSOR": {"REFRESH_INTERVAL": 10, "MIN_FILE_PROCESS_INTERVAL": 120, "PARSING_PROCESSES": 1},
        # Airflow sends no usage data.
        "USAGE_DATA_COLLECTION": {"ENABLED": False},
    }
    flat = {
        f"AIRFLOW__{section}__{key}": str(value) for section, keys in sections.items() for key, value in keys.items()
    }
    return flat | {
        "AIRFLOW_HOME": str(s.home / "airflow"),
        "DAYBREAK_NIGHT_MEMORY": s.night_memory,
        "DAYBREAK_NIGHT_JAVA": " ".join(spark_jvm(s, s.night_jvm)),
        "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps(spark),
    }


def _encrypted(s: Settings) -> dict[str, object]:
    """Also for the tasks, which speak to the API server."""
    own = files(s)
    return {
        "SSL_CERT": own.certificate,
        "SSL_KEY": own.key,
        "SSL_CA_FILE": own.ca,
        "CLIENT_USE_PUBLIC_CERTS": False,
    }


def prepare(s: Settings) -> None:
    """Write the users' passwords; migrate the database and make the pools, once per version and place."""
    folder = s.home / "airflow"
    folder.mkdir(exist_ok=True)
    owner_file.write(folder / "passwords.json", {one.name: one.password for one in users.logins(s)})
    stamp, made_from = _stamp(s), f"{version('apache-airflow')} {s.postgres_dsn}"
    if not stamp.exists() or stamp.read_text() != made_from:
        _migrate(s, folder / "pools.json")
        stamp.write_text(made_from)
    if len(keys := _fernet_keys(s)) > 1:
        # In a rotation: what older keys have encrypted is encrypted anew, and from then on nothing needs them.
        run(s, "rotate-fernet-key", AIRFLOW__CORE__FERNET_KEY=",".join(keys))
        rotation.forget(s, rotation.FERNET, keys[0])


def _migrate(s: Settings, pools: Path) -> None:
    pools.write_text(
        json.dumps({name: {"slots": 1, "description": what, "include_deferred": True} for name, what in POOLS.items()})
    )
    run(s, "db", "migrate")
    run(s, "pools", "import", str(pools))


def is_prepared(s: Settings) -> bool:
    """Has it a database of this version?"""
    return _stamp(s).exists()


def _stamp(s: Settings) -> Path:
    return s.home / "airflow" / "prepared"


def run(s: Settings, *arguments: str, **more: str) -> None:
    """A command of Airflow's. Raises TransientFailure if it fails."""
    said = subprocess.run(
        [str(BIN / "airflow"), *arguments],
        env=os.environ | shared_env(s) | environment(s) | more,
        capture_output=True,
        text=True,
    )
    if said.returncode:
        raise TransientFailure(
            f"`airflow {' '.join(arguments)}` failed: {(said.stderr or said.stdout).strip()[-2000:]}"
        )


def _fernet_keys(s: Settings) -> list[str]:
    """The one that encrypts, and those that have been in force before, if something may still need them."""
    return s.airflow_fernet_key.get_secret_value().split(",")


def programs(s: Settings) -> list[Program]:
    """API server (which is the UI), scheduler, DAG processor, triggerer."""
    env = settings_env() | environment(s)

    def component(name: Name, page: str, *command: str) -> Program:
        return Program(
            name=name,
            command=(str(BIN / "airflow"), *command),
            env=env,
            needs=(Name.AIRFLOW_API,),
            waits_for=lambda pid: health.airflow(s, page, pid),
            start_seconds=180,
        )

    api = replace(
        component(Name.AIRFLOW_API, "metadatabase", "api-server"),
        ports={"airflow_port": s.airflow_port},
        needs=(Name.POSTGRES,),
        prepare=lambda: prepare(s),
    )
    # The API server reads the logs from disk: no need for log servers, which would listen on every interface.
    return [
        api,
        component(Name.AIRFLOW_SCHEDULER, "scheduler", "scheduler", "--skip-serve-logs"),
        component(Name.AIRFLOW_DAG_PROCESSOR, "dag_processor", "dag-processor"),
        component(Name.AIRFLOW_TRIGGERER, "triggerer", "triggerer", "--skip-serve-logs"),
    ]
