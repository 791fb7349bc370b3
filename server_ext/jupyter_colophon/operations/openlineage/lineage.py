"""Events of OpenLineage, and Marquez's graph: `/api/v1/lineage`."""

from http import HTTPStatus
from typing import Final

from jupyter_colophon.core.errors import AlreadyExists, NotFound
from jupyter_colophon.operations.openlineage import documents
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_number, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_EVENT: Final = {"type": "object", "description": "A RunEvent, a JobEvent or a DatasetEvent of OpenLineage."}
_GRAPH: Final = {
    "type": "object",
    "required": ["graph", "truncated"],
    "properties": {
        "graph": {"type": "array"},
        "truncated": {"type": "boolean", "description": "Whether the graph is incomplete. Not part of Marquez's API."},
    },
}
_NODE: Final = declare_text("nodeId", "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`.", required=True)
_DEPTH: Final = declare_number(
    "depth", "Number of levels; at most 20 are followed.", default=20, minimum=0, maximum=1_000
)
_ACCEPTED: Final = {"type": "object", "additionalProperties": False, "description": "The event is stored."}


@declare_operation(
    "postLineageEvent",
    "POST /api/v1/lineage",
    decided_by="entities",
    body={"application/json": _EVENT},
    raw_body=True,
    answers={HTTPStatus.CREATED: _ACCEPTED},
    errors=[NotFound, AlreadyExists],
)
def post_lineage_event(services: ProcessServices, request: OperationRequest) -> Document:
    """Store an event; events may be sent more than once and in any order."""
    services.get_or_open_catalog().collector.parse_and_store_event(request.body, request.principal)
    return {}


@declare_operation(
    "readMarquezGraph",
    "GET /api/v1/lineage",
    decided_by="entities",
    parameters=[_NODE, _DEPTH],
    answers={200: _GRAPH},
    errors=[NotFound],
)
def read_marquez_graph(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the jobs and datasets around a node, in Marquez's form."""
    graph = services.get_or_open_catalog().marquez.read_graph(request[_NODE], request[_DEPTH], request.principal)
    return documents.render_graph_nodes(graph)


@declare_operation(
    "readMarquezColumns",
    "GET /api/v1/column-lineage",
    decided_by="entities",
    parameters=[_NODE, _DEPTH],
    answers={200: _GRAPH},
    errors=[NotFound],
)
def read_marquez_columns(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the columns of the datasets around a node, each with the columns it is derived from."""
    graph = services.get_or_open_catalog().marquez.read_graph(
        request[_NODE], request[_DEPTH], request.principal, columns=True
    )
    return documents.render_column_graph(graph)
