"""What a kernel reports, as documents of the native API (schemas/api): how runs begin and end."""

from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from jupyter_colophon.core.credentials import mask_comment, mask_source, mask_text

if TYPE_CHECKING:
    from jupyter_colophon.kernel.cells import Execution

Document = dict[str, Any]

#: How a run ends: of itself, well or badly, or with its kernel.
Ending: TypeAlias = Literal["succeeded", "failed", "killed"]

#: The limit of schemas/api/run-start.json.
SOURCE_LENGTH = 20_000

#: A comment is a title: a longer one is cut.
COMMENT_LENGTH = 200


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


def run_end(end_ms: int, ending: Ending, error: str = "") -> Document:
    """Return a `RunChange` that ends a run, with the class of the exception that ended it where there was one."""
    document = {"status": ending, "end": moment(end_ms)}
    return document | {"facts": {"error": error}} if error else document


def cell_facts(execution: "Execution", notebook: str, kernel: str, *, with_source: bool = False) -> Document:
    """Return the facts of a cell's run: which cell it is, its name, its first comment, and the hash of its source.

    The source itself is included only where `with_source` asks for it, cut at 20,000 characters. Credentials are
    replaced in all of them (core/credentials.py).
    """
    cell = execution.cell
    source = cell.source.encode("utf-8", "replace").decode()[:SOURCE_LENGTH]
    texts = {
        "step": mask_text(execution.step),
        "comment": first_comment(source),
        "source": mask_source(source)[:SOURCE_LENGTH] if with_source else "",
    }
    return {
        "notebook": notebook,
        "cellId": cell.id,
        "sourceHash": cell.source_hash,
        "executionCount": cell.execution_count,
        "kernel": kernel,
        **{name: text for name, text in texts.items() if text},
    }


def first_comment(source: str) -> str:
    """Return the first line of a cell's source that is a comment, without its sign and without credentials; or "".

    What comes after a text of several lines is not looked at: a line of such a text may look like a comment.
    """
    signs = ("#", "--") if source.startswith("%%") else ("#",)
    lines = takewhile(lambda line: '"""' not in line and "'''" not in line, map(str.strip, source.splitlines()))
    comments = (line.lstrip("#-").strip() for line in lines if line.startswith(signs) and not line.startswith("#!"))
    return mask_comment(next(filter(None, comments), "")[:COMMENT_LENGTH])
