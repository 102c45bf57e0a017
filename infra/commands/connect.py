"""The command `connect`: lines to copy, with which a program of yours logs in to a service of the platform.

Data flow: Settings, who logs in -> lines for beeline, Python, JDBC and dbt, for kcat, DuckDB, psql -> the terminal
Run: daybreak connect sql; daybreak connect kafka; daybreak connect s3; daybreak connect postgres
"""

from typing import Annotated

import typer

from infra import spark_page
from infra.airflow import users
from infra.airflow_settings import AirflowUser
from infra.commands import kafka_lines, postgres_lines, s3_lines
from infra.kafka_users import User
from infra.postgres_roles import Role as PostgresRole
from infra.services.program import BIN
from infra.settings import Settings, settings
from infra.sql.reach import is_encrypted, jdbc
from infra.sql.users import Role, password, password_file
from infra.store_users import User as StoreUser
from infra.tls.files import files

commands = typer.Typer()
connect = typer.Typer(help="How to log in to a service of the platform.", no_args_is_help=True)
commands.add_typer(connect, name="connect")
MAY = {
    Role.READER: "reads every table of the lake, and does nothing else: for people and BI tools",
    Role.WRITER: "writes gold and staging, and registers tables: for dbt and the platform itself",
}


@connect.command()
def sql(
    role: Annotated[Role, typer.Option("--as", help="Who logs in.")] = Role.READER,
    show: Annotated[bool, typer.Option("--show", help="Print the password; else where it is.")] = False,
) -> None:
    """Print lines that log in to the SQL gateway: beeline, JDBC, Python, dbt."""
    print(lines(settings(), role, show))


@connect.command()
def kafka(
    user: Annotated[User, typer.Option("--as", help="Who logs in.")] = User.READER,
    show: Annotated[bool, typer.Option("--show", help="Print the password; else where it is.")] = False,
) -> None:
    """Print lines that log in to Kafka: kcat, Kafka's own tools, Java, Python."""
    print(kafka_lines.lines(settings(), user, show))


@connect.command()
def s3(
    user: Annotated[StoreUser, typer.Option("--as", help="Who logs in.")] = StoreUser.READER,
    show: Annotated[bool, typer.Option("--show", help="Print the secret key; else where it is.")] = False,
) -> None:
    """Print lines that read the lake's files: Python with deltalake, DuckDB, other clients of S3."""
    print(s3_lines.lines(settings(), user, show))


@connect.command()
def postgres(
    role: Annotated[PostgresRole, typer.Option("--as", help="Who logs in.")] = PostgresRole("reader"),
    show: Annotated[bool, typer.Option("--show", help="Print the password; else where it is.")] = False,
) -> None:
    """Print lines that log in to Postgres: psql, Python, JDBC, dbt."""
    print(postgres_lines.lines(settings(), role, show))


@connect.command()
def airflow(
    user: Annotated[AirflowUser, typer.Option("--as", help="Who logs in.")] = AirflowUser.VIEWER,
    show: Annotated[bool, typer.Option("--show", help="Print the password; else where it is.")] = False,
) -> None:
    """Print where Airflow is, and lines that log in to it: a browser, curl."""
    print(users.lines(settings(), user, show))


@connect.command()
def spark(show: Annotated[bool, typer.Option("--show", help="Print the password; else where it is.")] = False) -> None:
    """Print where Spark's pages are, and how to log in to them."""
    print(spark_page.lines(settings(), show))


def lines(s: Settings, role: Role, show: bool = False) -> str:
    """The lines. The password itself only if it is asked for."""
    file = password_file(s, role)
    return f"""\
{role} {MAY[role]}
password: {password(s, role) if show else file}

# beeline
{BIN}/daybreak beeline --as {role}
{BIN}/beeline -u "{jdbc(s)}" -n {role} -w {file}

# JDBC, of Hive: user {role}, and the password
{jdbc(s)}

# Python: pip install 'pyhive[hive-pure-sasl]'
from pyhive import hive
password = open({str(file)!r}).read()
{_python(s, role) if is_encrypted(s) else _plain_python(s, role)}

# dbt: an output of profiles.yml, with export DBT_ENV_SECRET_GATEWAY_PASSWORD="$(cat {file})"
type: spark
method: thrift
host: {s.gateway_host}
port: {s.gateway_port}
user: {role}
auth: CUSTOM{DBT if is_encrypted(s) else ""}
password: "{{{{ env_var('DBT_ENV_SECRET_GATEWAY_PASSWORD') }}}}"
schema: gold"""


def _plain_python(s: Settings, role: Role) -> str:
    told = f'username={role.value!r}, password=password, auth="CUSTOM"'
    return f"connection = hive.connect({s.gateway_host!r}, port={s.gateway_port}, {told})"


def _python(s: Settings, role: Role) -> str:
    return f"""\
import ssl, thrift_sasl
from thrift.transport.TSSLSocket import TSSLSocket
host, trusted = {s.gateway_host!r}, ssl.create_default_context(cafile={str(files(s).ca)!r})
login = lambda: hive.get_installed_sasl(host=host, sasl_auth="PLAIN", username={role.value!r}, password=password)
socket = TSSLSocket(host, {s.gateway_port}, ssl_context=trusted)
connection = hive.connect(thrift_transport=thrift_sasl.TSaslClientTransport(login, "PLAIN", socket))"""


DBT = """
# dbt-spark encrypts, and takes any certificate
use_ssl: true"""
