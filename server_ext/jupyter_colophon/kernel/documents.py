"""What a kernel reports, as documents of the native API (schemas/api): how runs begin and end."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from jupyter_colophon.kernel.cells import Execution

Document = dict[str, Any]

#: How a run ends: of itself, well or badly, or with its kernel.
Ending: TypeAlias = Literal["succeeded", "failed", "killed"]

#: The limit of schemas/api/run-start.json.
SOURCE_LENGTH = 20_000


def moment(milliseconds: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC, with milliseconds."""
    text = datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def run_start(program: str, run_id: str, start_ms: int, parent: str | None, facts: Document) -> Document:
    """A `RunStart` that says the run is still going."""
    return {
        "program": program,
        "runId": run_id,
        "status": "running",
        "start": moment(start_ms),
        "parent": parent,
        "facts": facts,
    }


def run_end(end_ms: int, ending: Ending) -> Document:
    """A `RunChange` that ends a run."""
    return {"status": ending, "end": moment(end_ms)}


def cell_facts(execution: "Execution", notebook: str, kernel: str) -> Document:
    """The facts of a cell's run; the source is cut at 20,000 characters, its hash is of the whole."""
    cell = execution.cell
    named = {"step": execution.step} if execution.step else {}
    return {
        **named,
        "notebook": notebook,
        "cellId": cell.id,
        "sourceHash": cell.source_hash,
        "executionCount": cell.execution_count,
        "kernel": kernel,
        "source": cell.source.encode("utf-8", "replace").decode()[:SOURCE_LENGTH],
    }
