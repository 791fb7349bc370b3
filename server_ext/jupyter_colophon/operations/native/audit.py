"""The audit: who read or changed what is marked as sensitive, and what was denied (docs/how-to/audit-access.md)."""

from typing import Any, Final

from jupyter_colophon.core.audit import ACTIONS, OUTCOMES, AuditSelection
from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.native.export_import import LINES
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_choice, declare_text, declare_time
from jupyter_colophon.operations.request import Document, LinesAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT

_USER: Final = declare_text("user", "Return only entries of this user or service account, such as `service:airflow`.")
_URN: Final = declare_text("urn", "Return only entries about this entity.", format="colophon-urn")
_PROGRAM: Final = declare_text("program", "Return only entries by this program.", format="colophon-urn")
_RUN: Final = declare_text("run", "Return only entries by this run.", format="colophon-urn")
_ACTION: Final = declare_choice("action", "Return only entries with this action.", *ACTIONS)
_OUTCOME: Final = declare_choice("outcome", "Return only entries with this outcome.", *OUTCOMES)
_START: Final = declare_time("start", "Return only entries from this time on.")
_END: Final = declare_time("end", "Return only entries before this time.")
_SELECTION: Final[tuple[Parameter[Any], ...]] = (_USER, _URN, _PROGRAM, _RUN, _ACTION, _OUTCOME, _START, _END)


_require_admin = build_admin_check("read", "the audit")


def _get_selection(request: OperationRequest) -> AuditSelection:
    return AuditSelection(*(request[parameter] for parameter in _SELECTION))


@declare_operation(
    "listAuditEntries",
    "GET /audit",
    parameters=[*_SELECTION, LIMIT, CURSOR],
    answers="audit-entries",
    errors=[InvalidQuery],
    decided_by="admin",
    access=_require_admin,
)
def list_audit_entries(services: ProcessServices, request: OperationRequest) -> Document:
    """List entries of the audit, newest first; a short page may have a next one."""
    entries, cursor = services.get_or_open_catalog().audit.list_page(
        _get_selection(request), request[LIMIT], request[CURSOR]
    )
    return {"entries": to_api_documents(entries), "cursor": cursor}


@declare_operation(
    "exportAuditEntries",
    "GET /audit/export",
    parameters=_SELECTION,
    answers={200: {"type": "string", "description": "A line of JSON for each entry, newest first."}},
    content_type=LINES,
    decided_by="admin",
    access=_require_admin,
)
def export_audit_entries(services: ProcessServices, request: OperationRequest) -> LinesAnswer:
    """Export entries of the audit as lines of JSON, newest first."""
    return LinesAnswer(services.get_or_open_catalog().audit.export_lines(_get_selection(request)))


@declare_operation(
    "verifyAudit",
    "GET /audit/verification",
    parameters=[CURSOR],
    answers="audit-verification",
    errors=[InvalidQuery],
    decided_by="admin",
    access=_require_admin,
)
def verify_audit(services: ProcessServices, request: OperationRequest) -> Document:
    """Compare a part of the audit with its seals; the cursor continues with the next part."""
    return to_api_document(services.get_or_open_catalog().audit.verify_next_seals(request[CURSOR]))
