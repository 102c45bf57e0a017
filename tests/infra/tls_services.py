"""A broker, a store and a Postgres with TLS, which also show certificates that no client may take.

Data flow: Settings -> running services; a kind of certificate -> the address of a service that shows it
Run: pytest tests/infra/test_tls_services.py
"""

import os
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from infra import secrets
from infra.kafka import brokers
from infra.services import kafka, place, postgres, store
from infra.services.program import Program
from infra.settings import Settings, load, settings
from infra.tls import prepare
from infra.tls.authority import Identity, authority, issued
from infra.tls.files import files

GOOD, OTHER_HOST, EXPIRED, FOREIGN = "good", "otherhost", "expired", "foreign"
WRONG = (OTHER_HOST, EXPIRED, FOREIGN)
LONGEST_SECONDS = 60
SSL_REQUEST = b"\x00\x00\x00\x08\x04\xd2\x16\x2f"
"""With which a client of Postgres begins."""


def shown(s: Settings) -> dict[str, Identity]:
    """A certificate of each wrong kind: of another name, past its end, of another CA."""
    now = datetime.now(UTC)
    # Of a CA of yours nobody here has the key.
    ca = prepare.kept(files(s), now) or authority(now)
    return {
        OTHER_HOST: issued(ca, "other.example", now),
        EXPIRED: issued(ca, s.tls_host, now - timedelta(days=30), days=29),
        FOREIGN: issued(authority(now), s.tls_host, now),
    }


class Services:
    """What runs, in the home of `settings`. Store and Postgres show one certificate at a time; the broker has a port for each."""

    def __init__(self, s: Settings, stack: ExitStack) -> None:
        self.settings, self._stack = s, stack
        own = files(s)
        self._certificates = {kind: (one.certificate_pem, one.key_pem) for kind, one in shown(s).items()}
        self._certificates[GOOD] = own.certificate.read_text(), own.key.read_text()
        self.broker_ports = dict(zip(WRONG, free_ports(len(WRONG)), strict=True))
        self._store: subprocess.Popen[bytes] | None = None
        self._shown = GOOD
        self._postgres: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        s = self.settings
        (broker,) = kafka.programs(s)
        (node,) = kafka.nodes(s)
        broker.prepare()
        self._show_each_kind(node)
        for program in (broker, store.program(s), postgres.program(s)):
            if program is not broker:
                program.prepare()
        started = [self._begun(one) for one in (broker, store.program(s), postgres.program(s))]
        _, self._store, self._postgres = started
        for program, process in zip((broker, store.program(s), postgres.program(s)), started, strict=True):
            _await(program, process)
            program.complete()

    def show(self, kind: str) -> None:
        """From now on the store and Postgres have this certificate."""
        assert self._store
        assert self._postgres
        if kind == self._shown:
            return
        self._shown = kind
        own, (certificate, key) = files(self.settings), self._certificates[kind]
        own.certificate.write_text(certificate)
        own.key.write_text(key)
        for name, text in ((postgres.CERTIFICATE, certificate), (postgres.KEY, key)):
            (self.settings.home / "postgres" / name).write_text(text)
        self._postgres.send_signal(signal.SIGHUP)
        self._store.kill()
        self._store.wait()
        program = store.program(self.settings)
        self._store = self._begun(program)
        give_up = time.monotonic() + LONGEST_SECONDS
        ports = {self.settings.s3_port: b"", self.settings.postgres_port: SSL_REQUEST}
        while any(served(port, greeting) != _first(certificate) for port, greeting in ports.items()):
            assert time.monotonic() < give_up, f"the certificate {kind} is not shown"
            time.sleep(0.05)

    def _show_each_kind(self, node: brokers.Node) -> None:
        """A listener more for each: of the one that brokers use among themselves Kafka takes no wrong certificate."""
        known = dict(line.split("=", 1) for line in node.file.read_text().splitlines())
        for kind, port in self.broker_ports.items():
            file = node.folder / f"{kind}.pem"
            file.write_text("".join(reversed(self._certificates[kind])))
            for name in ("listeners", "advertised.listeners"):
                known[name] += f",{kind.upper()}://127.0.0.1:{port}"
            known["listener.security.protocol.map"] += f",{kind.upper()}:SSL"
            known[f"listener.name.{kind}.ssl.keystore.location"] = str(file)
            known[f"listener.name.{kind}.ssl.keystore.type"] = "PEM"
        node.file.write_text("".join(f"{name}={value}\n" for name, value in known.items()))

    def _begun(self, program: Program) -> "subprocess.Popen[bytes]":
        log = (self.settings.home / f"{program.name}.log").open("ab")
        process = subprocess.Popen(program.command, env=os.environ | program.env, cwd="/", stdout=log, stderr=log)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        self._stack.callback(log.close)
        return process


def served(port: int, greeting: bytes = b"") -> str | None:
    """The certificate that is shown at a port, in base64; None where nobody is yet. `greeting`: of Postgres."""
    anything = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anything.check_hostname, anything.verify_mode = False, ssl.CERT_NONE
    with socket.socket() as plain:
        try:
            plain.connect(("127.0.0.1", port))
            plain.sendall(greeting)
            if greeting and plain.recv(1) != b"S":
                return None
            with anything.wrap_socket(plain) as wire:
                return _first(ssl.DER_cert_to_PEM_cert(wire.getpeercert(binary_form=True) or b""))
        except OSError:
            return None


def _first(pem: str) -> str:
    return "".join(pem.partition("-----END")[0].split()[2:])


def _await(program: Program, process: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + LONGEST_SECONDS
    while wants := program.waits_for(process.pid):
        assert process.poll() is None, f"{program.name} ended"
        assert time.monotonic() < give_up, f"{program.name} waits for {wants}"
        time.sleep(0.05)


def free_ports(count: int) -> list[int]:
    """Ports that nobody has."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


@contextmanager
def running(more: dict[str, str]) -> Iterator[Services]:
    """In a home of their own, whose settings are in its `secrets.env`. A user who is not root must be able to enter."""
    names = ("KAFKA_PORT", "KAFKA_CONTROLLER_PORT", "S3_PORT", "S3_CONSOLE_PORT", "POSTGRES_PORT")
    ports = dict(zip(names, map(str, free_ports(len(names))), strict=True))
    with (
        TemporaryDirectory(prefix="daybreak-tls-") as folder,
        pytest.MonkeyPatch.context() as patch,
        ExitStack() as stack,
    ):
        home = Path(folder)
        patch.setenv("DAYBREAK_HOME", str(home))
        own = {"TLS": "on", **ports, **more}
        (home / "secrets.env").write_text("".join(f"DAYBREAK_{name}={value}\n" for name, value in own.items()))
        # By whom delta-rs is let in, and what else asks this process's environment.
        patch.setenv("SSL_CERT_FILE", str(home / "none"))
        settings.cache_clear()
        secrets.ensure(load())
        settings.cache_clear()
        place.prepare(settings())
        services = Services(settings(), stack)
        services.start()
        yield services
    settings.cache_clear()
