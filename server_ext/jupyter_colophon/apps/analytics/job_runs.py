"""The runs of jobs in the catalog: their programs, what they read and wrote, and how they ended."""

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

from jupyter_colophon.apps import (
    Access,
    AccessDenied,
    ColumnEdge,
    HeldForReview,
    NotFound,
    Proposal,
    RunConflict,
    RunUpsert,
    ServiceContext,
    Urn,
    make_run_urn,
)
from jupyter_colophon.apps.analytics.names import make_job_program_urn
from jupyter_colophon.apps.analytics.outputs import WrittenData

#: Data with one of its columns.
ColumnOfData = tuple[Urn, str]
_TITLES: Final = {"splits": "Split {}", "models": "Train {}", "predictions": "Apply {}: {}"}
#: Longer errors are cut.
_ERROR_MAX: Final = 1_000
_Ending = Literal["succeeded", "failed", "killed"]


@dataclass(frozen=True, slots=True)
class JobRun:
    """The run of a job. It is recorded with the rights of the caller, but a job does not fail for lack of them."""

    context: ServiceContext
    table: str
    key: tuple[str, ...]
    #: The id of the run, a UUID.
    job: str
    started_ms: int
    settings: Mapping[str, Any]

    @property
    def program(self) -> Urn:
        """Return the program that is run."""
        return make_job_program_urn(self.table, self.key)

    def record_start(self) -> None:
        """Record that the job runs. A refusal is ignored: that of the end is reported."""
        self._record([], self._build_report())

    def record_success(
        self,
        inputs: Sequence[Urn],
        outputs: Sequence[WrittenData],
        columns: Mapping[ColumnOfData, Sequence[ColumnOfData]],
    ) -> str:
        """Record what the job read and wrote, with the sources of written columns; return why that failed, or ""."""
        report = self._build_report(
            "succeeded",
            accesses=(
                *(Access(urn, "read", statement=0) for urn in inputs),
                *(Access(output.urn, "write", statement=0) for output in outputs),
            ),
            columns=tuple(
                ColumnEdge(*source, *target, "transformation")
                for target, sources in columns.items()
                for source in sources
            ),
        )
        known = [Proposal(urn, None, "create", if_absent=True) for urn in inputs]
        described = [proposal for output in outputs for proposal in output.build_proposals()]
        return self._record([*known, *described], report)

    def record_failure(self, problem: str) -> None:
        """Record that the job failed, and why."""
        self._record([], self._build_report("failed", facts={"error": problem[:_ERROR_MAX]}))

    def record_kill(self, problem: str) -> None:
        """Record that the process of the job ended, with the rights of the platform: any reader may notice it."""
        admin = self.context.admin
        # A start that was refused was not recorded.
        with suppress(NotFound, RunConflict):
            if admin.get_run(str(make_run_urn(self.program, self.job))).status == "running":
                admin.record_run(self._build_report("killed", facts={"error": problem}))

    def _build_report(self, status: _Ending | None = None, **members: Any) -> RunUpsert:
        # A run that is reported without a status is running.
        end = None if status is None else max(time.time_ns() // 1_000_000, self.started_ms)
        return RunUpsert(
            self.program,
            self.job,
            start=self.started_ms,
            end=end,
            status=status,
            arguments=self._build_arguments(),
            **members,
        )

    def _build_arguments(self) -> dict[str, str]:
        named = dict(zip(_get_names_of_key(self.table), self.key[1:], strict=True))
        texts = {
            name: value if isinstance(value, str) else json.dumps(value)
            for name, value in self.settings.items()
            if value not in ("", {})
        }
        return {**texts, **named}

    def _record(self, proposals: Sequence[Proposal], report: RunUpsert) -> str:
        admin = self.context.run_as(self.context.principal).admin
        try:
            admin.apply_proposals([*self._describe_program(), *proposals])
            admin.record_run(report)
        except (AccessDenied, HeldForReview, NotFound, RunConflict) as error:
            return error.detail
        return ""

    def _describe_program(self) -> list[Proposal]:
        _, experiment, *names = self.key
        program = self.program
        title = _TITLES[self.table].format(*names)
        return [
            Proposal(Urn.parse(program.parts[0]), "dataFlowInfo", "upsert", {"name": f"Experiment {experiment}"}),
            Proposal(program, "dataJobInfo", "upsert", {"name": title, "type": {"string": "spark"}}),
        ]


def delete_entities(context: ServiceContext, urns: Sequence[Urn]) -> None:
    """Delete entities with what they contain, in the name of the caller; others are ignored. Raises AccessDenied."""
    admin = context.run_as(context.principal).admin
    for urn in urns:
        with suppress(NotFound):
            admin.apply_proposals([Proposal(urn, None, "delete")])


def _get_names_of_key(table: str) -> tuple[str, ...]:
    return {
        "splits": ("experiment", "split"),
        "models": ("experiment", "model"),
        "predictions": ("experiment", "model", "prediction"),
    }[table]
