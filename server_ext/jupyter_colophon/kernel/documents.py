"""Build the documents of the native API (schemas/api) that start and end runs."""

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from jupyter_colophon.core.credentials import mask_secrets_in_code, mask_secrets_in_comment, mask_secrets_in_text

if TYPE_CHECKING:
    from jupyter_colophon.kernel.cells import CellExecution

Document = dict[str, Any]

#: How a run ends: by itself, with success or failure, or killed with its kernel.
Ending: TypeAlias = Literal["succeeded", "failed", "killed"]

#: The limit of schemas/api/run-start.json.
SOURCE_LENGTH = 20_000

#: A comment serves as a title; longer ones are truncated.
COMMENT_LENGTH = 200


def format_time(milliseconds: int) -> str:
    """Format milliseconds since 1970 as ISO 8601 in UTC, with milliseconds."""
    text = datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def build_run_start(
    program: str, run_id: str, start_ms: int, parent: str | None, facts: Document, arguments: Mapping[str, str]
) -> Document:
    """Return a `RunStart` with the status running."""
    document: Document = {
        "program": program,
        "runId": run_id,
        "status": "running",
        "start": format_time(start_ms),
        "parent": parent,
        "facts": facts,
    }
    return document | ({"arguments": dict(arguments)} if arguments else {})


def build_run_end(end_ms: int, ending: Ending, error: str = "") -> Document:
    """Return a `RunChange` that ends a run, with the class of the exception that ended it, if any."""
    document = {"status": ending, "end": format_time(end_ms)}
    return document | {"facts": {"error": error}} if error else document


def build_cell_facts(execution: "CellExecution", notebook: str, kernel: str, *, with_source: bool = False) -> Document:
    """Return the facts of a cell's run: which cell it is, its name, its first comment, and the hash of its source.

    The source itself is included only with `with_source`, truncated to 20,000 characters. Credentials are
    replaced in all of them (core/credentials.py).
    """
    cell = execution.cell
    source = cell.source.encode("utf-8", "replace").decode()[:SOURCE_LENGTH]
    texts = {
        "step": mask_secrets_in_text(execution.step),
        "comment": find_first_comment(source),
        "source": mask_secrets_in_code(source)[:SOURCE_LENGTH] if with_source else "",
    }
    return {
        "notebook": notebook,
        "cellId": cell.id,
        "sourceHash": cell.source_hash,
        "executionCount": cell.execution_count,
        "kernel": kernel,
        **{name: text for name, text in texts.items() if text},
    }


def find_first_comment(source: str) -> str:
    """Return the first comment line of a cell's source, without its sign and without credentials, or "".

    The lines after a multi-line string are ignored: a line of such a string may look like a comment.
    """
    signs = ("#", "--") if source.startswith("%%") else ("#",)
    lines = takewhile(lambda line: '"""' not in line and "'''" not in line, map(str.strip, source.splitlines()))
    comments = (line.lstrip("#-").strip() for line in lines if line.startswith(signs) and not line.startswith("#!"))
    return mask_secrets_in_comment(next(filter(None, comments), "")[:COMMENT_LENGTH])
