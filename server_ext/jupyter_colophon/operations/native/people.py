"""Erase people, and export what is recorded of them (docs/how-to/erase-a-person.md).

The name of a person is in bodies only: logs of requests have the paths.
"""

from http import HTTPStatus
from typing import Final

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.native.export_import import LINES
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, LinesAnswer, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_LINES: Final = {"type": "string", "description": "Lines of JSON: a header, then one line for each record."}
_NEXT: Final = [
    OperationLink("readErasure", {"path.pseudonym": "$response.body#/pseudonym"}, status=HTTPStatus.ACCEPTED)
]


_require_admin = build_admin_check("manage", "the data of people")


@declare_operation(
    "startErasure",
    "POST /erasures",
    body="person",
    answers={202: "erasure"},
    errors=[InvalidName],
    decided_by="admin",
    access=_require_admin,
    links=_NEXT,
)
def start_erasure(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Start to replace the names of a person by a pseudonym everywhere in the catalog, in the background."""
    erasure = services.get_or_open_catalog().eraser.start(request.body["person"], request.principal)
    return OperationAnswer(to_api_document(erasure), HTTPStatus.ACCEPTED)


@declare_operation("listErasures", "GET /erasures", answers="erasures", decided_by="admin", access=_require_admin)
def list_erasures(services: ProcessServices, request: OperationRequest) -> Document:
    """List all erasures of people with what they have changed, the newest first."""
    return {"erasures": to_api_documents(services.get_or_open_catalog().eraser.list_erasures())}


@declare_operation(
    "readErasure",
    "GET /erasures/{pseudonym}",
    answers="erasure",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def read_erasure(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the progress of an erasure, and what it has changed."""
    return to_api_document(services.get_or_open_catalog().eraser.read_erasure(request.path["pseudonym"]))


@declare_operation(
    "exportPerson",
    "POST /person-export",
    body="person",
    answers={200: _LINES},
    errors=[InvalidName],
    decided_by="admin",
    permission="read",
    access=_require_admin,
    content_type=LINES,
)
def export_person(services: ProcessServices, request: OperationRequest) -> LinesAnswer:
    """Export all records of the catalog that name a person."""
    return LinesAnswer(services.get_or_open_catalog().person_exporter.export_lines(request.body["person"]))
