"""A namespace as lines, and the merge of them back."""

from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.errors import ConditionFailed, NotFound
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import flag, text
from jupyter_colophon.operations.request import Document, Lines, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.service.entities.export_import import Told

LINES: Final = "application/x-ndjson"
_LINES: Final = {"type": "string", "description": "Lines of JSON, sorted: what it is, then an aspect each."}
#: How many lines are made on one hop, and go out together.
_AT_ONCE: Final = 500
#: How many conflicts are told one by one.
_CONFLICTS_MAX: Final = 500
_NAMESPACE: Final = text("namespace", "Which namespace.", required=True)
_DRY_RUN: Final = flag("dryRun", "Whether nothing is changed, and only told what would be.")
_OVERWRITE: Final = flag("overwrite", "Whether lines take the place of what is there with another value.")


@operation(
    "exportNamespace",
    "GET /export",
    parameters=[_NAMESPACE],
    answers={200: _LINES},
    errors=[NotFound],
    content_type=LINES,
)
def export_namespace(services: Services, request: Request) -> Lines:
    """Everything that is said in a namespace."""
    return Lines(services.catalog().transfer.exported(request[_NAMESPACE], request.principal, (), ()))


@operation(
    "exportSelection",
    "POST /export",
    body="namespace-export",
    answers={200: _LINES},
    errors=[NotFound],
    content_type=LINES,
    permission="read",
)
def export_selection(services: Services, request: Request) -> Lines:
    """What is said in a namespace of some types of entity, or in some aspects."""
    body = request.body
    transfer = services.catalog().transfer
    return Lines(
        transfer.exported(body["namespace"], request.principal, body.get("types", ()), body.get("aspects", ()))
    )


@operation(
    "importNamespace",
    "POST /import",
    parameters=[_DRY_RUN, _OVERWRITE],
    body={LINES: _LINES},
    raw_body=True,
    answers="namespace-import",
    errors=[NotFound, ConditionFailed],
)
def import_namespace(services: Services, request: Request) -> Document:
    """Lines back into the catalog; conflicts, where both sides changed, are listed and left as they are."""
    transfer, dry_run, body = services.catalog().transfer, request[_DRY_RUN], request.body
    done = transfer.imported(lambda: BytesIO(body), request.principal, overwrite=request[_OVERWRITE], dry_run=dry_run)
    return _document(list(done), dry_run)


def _document(done: "list[Told]", dry_run: bool) -> dict[str, Any]:
    conflicts = [one.line for one in done if one.outcome == "conflict"]
    return {
        "dryRun": dry_run,
        "counts": dict(sorted(Counter(one.outcome for one in done).items())),
        "conflicts": [
            {"urn": str(one.urn), "aspect": one.aspect, "line": one.number} for one in conflicts[:_CONFLICTS_MAX]
        ],
    }
