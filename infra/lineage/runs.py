"""Runs of jobs, as a program says them: START, perhaps RUNNING, then COMPLETE or FAIL, each once and with one id.

Data flow: job, datasets -> Run -> run events -> Emitter
Run: pytest tests/infra/lineage/test_emitter.py

An event that cannot be made is lost like one that cannot be delivered: it is told, and the work goes on.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from types import TracebackType
from typing import Literal, Self

from openlineage.client.event_v2 import Job, Run, RunEvent, RunState, set_producer
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    documentation_job,
    error_message_run,
    job_type_job,
    nominal_time_run,
    parent_run,
    processing_engine_run,
    tags_run,
)
from openlineage.client.uuid import generate_new_uuid

from infra.lineage.datasets import Data
from infra.lineage.emitter import Emitter
from infra.lineage.place import sender
from infra.settings import Settings

PRODUCER = "urn:daybreak"
"""Who says it; a URI."""
LONGEST = 1000
"""Characters of a failure's sentence."""


@dataclass(frozen=True)
class Work:
    """A job. `often`: the seconds between two events while it runs; None: it tells its beginning and its end."""

    name: str
    description: str
    kind: Literal["BATCH", "STREAMING"] = "BATCH"
    type: str = "TASK"
    often: int | None = None


@dataclass(frozen=True)
class About:
    """What a run is about: the time that it is nominally for, and tags by which it is found."""

    of: tuple[datetime, datetime] | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


class Lineage:
    """The lineage of one program."""

    def __init__(self, s: Settings, program: str) -> None:
        set_producer(PRODUCER)
        self.settings = s
        self.emitter = Emitter(s, program, sender(s, program))

    def began(self, work: Work, about: About | None = None, parent: "Begun | None" = None) -> "Begun":
        """A run that begins now; `say` tells it."""
        return Begun(self, work, about or About(), parent)

    @contextmanager
    def unharmed(self) -> Iterator[None]:
        """Whatever goes wrong here is told, and the work of the program goes on: lineage must not be what stops it."""
        try:
            yield
        except Exception as failure:
            self.emitter.lose(f"a lineage event could not be made: {type(failure).__name__}: {failure}")

    def close(self) -> None:
        """The program ends."""
        self.emitter.close()


class Begun:
    """A run that has begun. Every event of it has the same id."""

    def __init__(self, lineage: Lineage, work: Work, about: About, parent: "Begun | None") -> None:
        self._lineage, self._about = lineage, about
        self.work, self.id, self._parent = work, str(generate_new_uuid()), parent

    def say(
        self, state: RunState, failure: str | None = None, inputs: Iterable[Data] = (), outputs: Iterable[Data] = ()
    ) -> None:
        """Say an event of now. The datasets are asked for here: what goes wrong with them is told."""
        with self._lineage.unharmed():
            event = RunEvent(
                eventType=state,
                eventTime=_text(datetime.now(UTC)),
                run=Run(self.id, facets=self._facets(failure)),
                job=Job(self._lineage.settings.lineage_namespace, self.work.name, facets=_of_job(self.work)),
                inputs=[one.read() for one in inputs],
                outputs=[one.written() for one in outputs],
                producer=PRODUCER,
            )
            self._lineage.emitter.emit(event)

    def _facets(self, failure: str | None) -> dict[str, RunFacet]:
        engine = processing_engine_run.ProcessingEngineRunFacet(version("pyspark"), name="spark")
        found: dict[str, RunFacet] = {"processing_engine": engine}
        if self._parent:
            found["parent"] = self._parent.as_parent()
        if self._about.of:
            start, end = self._about.of
            found["nominalTime"] = nominal_time_run.NominalTimeRunFacet(_text(start), nominalEndTime=_text(end))
        if self._about.tags:
            own = [tags_run.TagsRunFacetFields(key, value, "DAYBREAK") for key, value in self._about.tags.items()]
            found["tags"] = tags_run.TagsRunFacet(own)
        if failure is not None:
            found["errorMessage"] = error_message_run.ErrorMessageRunFacet(failure[:LONGEST], "PYTHON")
        return found

    def as_parent(self) -> parent_run.ParentRunFacet:
        """As the parent of another run."""
        job = parent_run.Job(self._lineage.settings.lineage_namespace, self.work.name)
        return parent_run.ParentRunFacet(parent_run.Run(self.id), job)


class Told:
    """What a program tells of one run, as a block: it ends well, or with the failure that leaves the block."""

    def __init__(self, lineage: Lineage, run: Begun) -> None:
        self._lineage, self._run = lineage, run

    def __enter__(self) -> Self:
        """It begins."""
        self._begins()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It ends."""
        self._ends(*ended(failure))

    def _begins(self) -> None:
        self._run.say(RunState.START)

    def _ends(self, state: RunState, why: str | None) -> None:
        self._run.say(state, why)


def ended(failure: BaseException | None) -> tuple[RunState, str | None]:
    """How a run ends, and why if it fails."""
    return (RunState.COMPLETE, None) if failure is None else (RunState.FAIL, f"{type(failure).__name__}: {failure}")


def _of_job(work: Work) -> dict[str, JobFacet]:
    how = job_type_job.EmissionPattern(
        "PERIODIC" if work.often else "EVENT_BASED", "ACCUMULATIVE", windowDuration=work.often
    )
    return {
        "jobType": job_type_job.JobTypeJobFacet(work.kind, "DAYBREAK", jobType=work.type, emissionPattern=how),
        "documentation": documentation_job.DocumentationJobFacet(work.description),
    }


def _text(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
