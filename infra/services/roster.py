"""Which programs the settings ask for.

Data flow: Settings -> Programs, in the order in which they start
Run: daybreak status
"""

from collections.abc import Mapping
from dataclasses import replace

from infra.failures import PermanentFailure
from infra.options import NOTIFY, QUEUE, WEBHOOKS
from infra.registry import named, parts
from infra.services import (
    airflow,
    gateway,
    kafka,
    notify,
    postgres,
    queue,
    store,
    stream,
    webhooks,
)
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.tls.files import fingerprint

SERVED = "SERVED_CERTIFICATE"
"""The variable of a program's environment that tells one certificate from the next; nobody reads it."""


def roster(s: Settings) -> dict[Name, Program]:
    """Every program that the platform runs; a service whose endpoint is set is yours and not among them, nor is an
    option that is off. Of projects, the one in force has its own."""
    programs = [stream.program(s)]
    if s.embedded("kafka_bootstrap"):
        programs += kafka.programs(s)
    if s.embedded("s3_endpoint"):
        programs.append(store.program(s))
    if s.embedded("postgres_dsn"):
        programs.append(postgres.program(s))
    if s.has(WEBHOOKS):
        programs.append(webhooks.program(s))
    if s.has(NOTIFY):
        programs.append(notify.program(s))
    if s.has(QUEUE):
        programs.append(queue.program(s))
    if s.embedded("gateway_host"):
        programs.append(gateway.program(s))
    if s.embedded("airflow_url"):
        programs += airflow.programs(s)
    if own := parts(s.project).roster:
        programs += named(own)(s)
    known = {program.name: program for program in programs}
    return {name: _with_needs(known, _with_certificate(s, known[name])) for name in Name if name in known}


def called(programs: Mapping[Name, Program], name: str) -> tuple[Name, ...]:
    """The programs that a name means: the one of that name; of `kafka` all brokers, if there are three; else none."""
    if name in programs:
        return (Name(name),)
    return tuple(one for one in kafka.BROKERS if name == Name.KAFKA and one in programs)


def _with_needs(programs: Mapping[Name, Program], program: Program) -> Program:
    """Who needs Kafka needs every broker; a need that is yours stays, and is met."""
    needs = [found for need in program.needs for found in called(programs, need) or (need,)]
    return replace(program, needs=tuple(needs))


def _with_certificate(s: Settings, program: Program) -> Program:
    """With another certificate, or CA, it is another program: `daybreak up` restarts it."""
    return replace(program, env={**program.env, SERVED: fingerprint(s)}) if s.has_tls else program


def choose(programs: dict[Name, Program], only: str | None) -> dict[Name, Program]:
    """The programs named in `only` (comma-separated), or all; `kafka` names every broker. Raises PermanentFailure for a name
    that is none."""
    if only is None:
        return programs
    wanted: set[Name] = set()
    for name in (part.strip() for part in only.split(",") if part.strip()):
        if not (found := called(programs, name)):
            raise PermanentFailure(f"{name!r} is not a program of this platform: {', '.join(programs)}")
        wanted.update(found)
    return {name: program for name, program in programs.items() if name in wanted}
