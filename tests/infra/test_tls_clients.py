"""Clients of the gateway, of Airflow and of webhooks look at whom they reach: at a port that shows a certificate, right or wrong.

Data flow: a TLS server of this process -> a client of ours -> a handshake that was done, or the client's refusal
Run: pytest tests/infra/test_tls_clients.py
"""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
import yaml
from tls_services import EXPIRED, FOREIGN, GOOD, OTHER_HOST, WRONG, shown

from infra import secrets
from infra.airflow.client import Airflow
from infra.commands import connect
from infra.failures import PermanentFailure
from infra.services import health
from infra.services.airflow import environment
from infra.services.gateway import configuration
from infra.settings import ROOT, Settings, load, settings
from infra.sql import gateway
from infra.sql.gold import dbt_environment
from infra.sql.reach import jdbc
from infra.sql.users import Role
from infra.tls.files import files
from infra.tls.prepare import prepare
from infra.tls.trust import context

SAYS = {OTHER_HOST: "mismatch", EXPIRED: "expired", FOREIGN: "unable to get local issuer"}


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of a home with certificates, which is this process's own; gateway, Airflow and webhooks have one port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    names = ("GATEWAY_PORT", "AIRFLOW_PORT", "WEBHOOKS_PORT")
    lines = ["DAYBREAK_TLS=on", *(f"DAYBREAK_{name}={port}" for name in names)]
    (tmp_path / "secrets.env").write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    secrets.ensure(load())
    settings.cache_clear()
    prepare(settings())
    return settings()


@contextmanager
def showing(s: Settings, kind: str) -> Iterator[list[str]]:
    """A server at the port, with a certificate of this kind; what came of each handshake."""
    file, own, done = s.home / "shown.pem", shown(s), list[str]()
    file.write_text(
        own[kind].key_pem + own[kind].certificate_pem if kind in own else files(s).key_and_certificate.read_text()
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)

    def serve(listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                plain, _ = listening.accept()
                try:
                    with server.wrap_socket(plain, server_side=True) as wire:
                        # By TLS 1.3 a client refuses after the server's handshake.
                        done.append("spoken" if wire.recv(1) else "closed")
                except ssl.SSLError as refused:
                    done.append(str(refused))

    with socket.create_server(("127.0.0.1", s.gateway_port)) as listening:
        thread = Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield done
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def by_dbt(s: Settings) -> None:
    """As dbt-spark does it, with what is put in its function's place, and in the environment in which it runs."""
    from dbt.adapters.spark import connections

    import infra.sql.verified_dbt  # noqa: F401

    own = {"host": s.gateway_host, "port": s.gateway_port, "username": "writer", "auth": "CUSTOM", "password": "x"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in dbt_environment(s).items():
            patch.setenv(name, value)
        settings.cache_clear()
        connections.build_ssl_transport(**own, kerberos_service_name="").open()


def by_pyhive(s: Settings) -> None:
    with gateway.opened():
        pass


def by_status(s: Settings) -> None:
    assert health.port(s.gateway_host, s.gateway_port, context(s, "gateway_host")) is None


def by_page(s: Settings) -> None:
    wrong, _ = health.page(f"{s.airflow_url}/", context(s, "airflow_url"))
    assert wrong is None, wrong


CLIENTS: dict[str, Callable[[Settings], object]] = {
    "dbt": by_dbt,
    "pyhive": by_pyhive,
    "airflow": Airflow,
    "status of the gateway": by_status,
    "status of airflow": by_page,
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_wrong_certificate_is_refused_before_a_word_is_said(s: Settings, client: str, kind: str) -> None:
    with showing(s, kind) as done, pytest.raises((Exception, AssertionError)) as refused:
        CLIENTS[client](s)
    said = f"{refused.value} {getattr(refused.value, 'inner', '')} {refused.value.__cause__}"
    assert SAYS[kind] in said or "certificate verify failed" in said, said
    assert "spoken" not in done
    if client == "pyhive":
        assert isinstance(refused.value, PermanentFailure)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_right_certificate_is_taken(s: Settings, client: str) -> None:
    with showing(s, GOOD) as done, suppress(Exception):
        CLIENTS[client](s)
    assert done
    assert done[0] in ("spoken", "closed")


def test_each_of_them_is_told_of_tls(s: Settings) -> None:
    assert configuration(s)["spark.hadoop.hive.server2.keystore.path"] == str(files(s).keystore)
    assert environment(s)["AIRFLOW__API__SSL_CERT"] == str(files(s).certificate)
    assert environment(s)["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"].startswith("https://127.0.0.1:")
    assert jdbc(s).endswith(f"/;ssl=true;sslTrustStore={files(s).trusted_by_java};trustStorePassword=daybreak")


def test_dbts_profile_says_whether_the_gateway_is_encrypted(s: Settings) -> None:
    from dbt.config.renderer import ProfileRenderer
    from dbt_common.context import set_invocation_context

    said, profile = {}, yaml.safe_load((ROOT / "dbt" / "profiles.yml").read_text())["daybreak"]["outputs"]["gateway"]
    for one in (s, s.model_copy(update={"tls": "off"})):
        set_invocation_context(dbt_environment(one))
        said[one.tls] = ProfileRenderer({}).render_data(profile)["use_ssl"]
    assert said == {"on": True, "off": False}


def test_the_lines_to_connect_name_the_authority(s: Settings) -> None:
    said = connect.lines(s, Role.READER)
    assert str(files(s).ca) in said
    script = said.partition("# Python: ")[2].partition("\n")[2].partition("\n\n# dbt")[0]
    with showing(s, FOREIGN) as done, suppress(Exception):
        exec(script, {})
    assert "certificate" in done[0] or "unknown ca" in done[0].lower()
    assert "spoken" not in done


def test_a_gateway_and_an_airflow_of_yours_are_reached_as_before(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_GATEWAY_HOST", "spark.example")
    monkeypatch.setenv("DAYBREAK_AIRFLOW_URL", "https://airflow.example")
    yours = load()
    assert (context(yours, "gateway_host"), context(yours, "airflow_url")) == (None, None)
    assert jdbc(yours) == f"jdbc:hive2://spark.example:{yours.gateway_port}"
    assert "DAYBREAK_GATEWAY_TLS" not in dbt_environment(yours)
