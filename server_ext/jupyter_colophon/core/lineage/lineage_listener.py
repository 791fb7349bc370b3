"""The interface of lineage listeners, which packages implement to receive the lineage of ended runs."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.lineage.run import Run, RunStatus


@dataclass(frozen=True, slots=True)
class ListenerContext:
    """The context of a listener: its properties from the settings."""

    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A run that has ended. `program` and `urn` are URNs."""

    program: str
    run_id: str
    urn: str
    status: RunStatus
    actor: str


@dataclass(frozen=True, slots=True)
class LineageInfo:
    """The datasets that a run read and wrote, as URNs; data of unknown access mode is in both.

    Data flows within a statement: a source is only related to targets of the same statements.
    """

    sources: frozenset[str]
    targets: frozenset[str]
    source_to_targets: Mapping[str, frozenset[str]]
    target_to_sources: Mapping[str, frozenset[str]]
    start_ms: int
    end_ms: int
    lineage_id: str

    @classmethod
    def from_run(cls, run: Run, lineage_id: str) -> "LineageInfo":
        """Create from a run that has ended."""
        sources, targets = _group_datasets_by_statement(run, "write"), _group_datasets_by_statement(run, "read")
        return cls(
            sources=frozenset(sources),
            targets=frozenset(targets),
            source_to_targets=_find_datasets_of_shared_statements(sources, targets),
            target_to_sources=_find_datasets_of_shared_statements(targets, sources),
            start_ms=run.start,
            end_ms=run.start if run.end is None else run.end,
            lineage_id=lineage_id,
        )


def _group_datasets_by_statement(run: Run, side: str) -> dict[str, set[str]]:
    """Return the datasets on one side of a run, each with its statements; "" stands for none."""
    statements: dict[str, set[str]] = defaultdict(set)
    for access in run.accesses:
        if access.mode != side:
            statements[access.data].update(access.statements or ("",))
    return statements


def _find_datasets_of_shared_statements(
    from_side: Mapping[str, set[str]], to_side: Mapping[str, set[str]]
) -> dict[str, frozenset[str]]:
    """Return for each dataset on one side the datasets on the other side that share a statement with it."""
    members: dict[str, set[str]] = defaultdict(set)
    for data, statements in to_side.items():
        for statement in statements:
            members[statement].add(data)
    return {
        data: frozenset(dataset for statement in statements for dataset in members.get(statement, ()))
        for data, statements in from_side.items()
    }


class LineageListener(ABC):
    """Receives the lineage of each run that ends, in the server and on its own thread.

    A package registers its class, which is called without arguments, as an entry point of the group
    `jupyter_colophon.lineage_listeners`. Exceptions are logged and counted. Each run is delivered at least once, in the
    order in which runs ended.
    """

    #: Its name in logs and `/health`; if empty, the name of the entry point.
    name: str = ""

    @abstractmethod
    def on_lineage(self, context: ListenerContext, program_run: ProgramRun, lineage: LineageInfo) -> None:
        """Handle the lineage of a run that ended."""
