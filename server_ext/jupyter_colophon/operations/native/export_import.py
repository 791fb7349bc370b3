"""A namespace as lines, and the merge of them back."""

from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.errors import ConditionFailed, NotFound
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_flag, declare_text
from jupyter_colophon.operations.request import Document, LinesAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.service.entities.export_import import ImportedLine

LINES: Final = "application/x-ndjson"
_LINES: Final = {"type": "string", "description": "Sorted lines of JSON: a header, then one line for each aspect."}
#: How many lines are made on one hop, and go out together.
_AT_ONCE: Final = 500
#: How many conflicts are listed one by one.
_CONFLICTS_MAX: Final = 500
_NAMESPACE: Final = declare_text("namespace", "The namespace to export.", required=True)
_DRY_RUN: Final = declare_flag("dryRun", "Return the result without changing anything.")
_OVERWRITE: Final = declare_flag("overwrite", "Overwrite values that differ, instead of reporting a conflict.")


@declare_operation(
    "exportNamespace",
    "GET /export",
    decided_by="entities",
    parameters=[_NAMESPACE],
    answers={200: _LINES},
    errors=[NotFound],
    content_type=LINES,
)
def export_namespace(services: ProcessServices, request: OperationRequest) -> LinesAnswer:
    """Export all metadata of a namespace."""
    return LinesAnswer(
        services.get_or_open_catalog().transfer.export_namespace_lines(request[_NAMESPACE], request.principal, (), ())
    )


@declare_operation(
    "exportSelection",
    "POST /export",
    decided_by="entities",
    body="namespace-export",
    answers={200: _LINES},
    errors=[NotFound],
    content_type=LINES,
    permission="read",
)
def export_selection(services: ProcessServices, request: OperationRequest) -> LinesAnswer:
    """Export the metadata of a namespace, for some entity types or some aspects only."""
    body = request.body
    transfer = services.get_or_open_catalog().transfer
    return LinesAnswer(
        transfer.export_namespace_lines(
            body["namespace"], request.principal, body.get("types", ()), body.get("aspects", ())
        )
    )


@declare_operation(
    "importNamespace",
    "POST /import",
    decided_by="entities",
    parameters=[_DRY_RUN, _OVERWRITE],
    body={LINES: _LINES},
    raw_body=True,
    answers="namespace-import",
    errors=[NotFound, ConditionFailed],
)
def import_namespace(services: ProcessServices, request: OperationRequest) -> Document:
    """Import exported lines; conflicts, where both sides changed, are listed and not applied."""
    transfer, dry_run, body = services.get_or_open_catalog().transfer, request[_DRY_RUN], request.body
    done = transfer.import_and_merge_lines(
        lambda: BytesIO(body), request.principal, overwrite=request[_OVERWRITE], dry_run=dry_run
    )
    return _render_import_result(list(done), dry_run)


def _render_import_result(done: "list[ImportedLine]", dry_run: bool) -> dict[str, Any]:
    conflicts = [item.line for item in done if item.outcome == "conflict"]
    return {
        "dryRun": dry_run,
        "counts": dict(sorted(Counter(item.outcome for item in done).items())),
        "conflicts": [
            {"urn": str(conflict.urn), "aspect": conflict.aspect, "line": conflict.number}
            for conflict in conflicts[:_CONFLICTS_MAX]
        ],
    }
