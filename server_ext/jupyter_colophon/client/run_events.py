"""Export runs as events of OpenLineage."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_colophon.client.operations import Operations

Document = dict[str, Any]
#: The most runs of one request.
_AT_ONCE = 200


def list_runs_of_edges(edges: Iterable[Document]) -> list[str]:
    """Return the runs of the edges of `Lineage`, each once."""
    return list(dict.fromkeys(run for edge in edges for run in edge["runs"]))


def iterate_run_events(catalog: Operations, runs: Sequence[str]) -> Iterator[Document]:
    """Yield the events of these runs. Raises what `export_run_events` raises."""
    remaining = list(runs)
    while remaining:
        answer = catalog.export_run_events({"runs": remaining[:_AT_ONCE]})
        yield from answer["events"]
        remaining = [*answer["remaining"], *remaining[_AT_ONCE:]]
