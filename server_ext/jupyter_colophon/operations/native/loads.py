"""Bulk load jobs: batches of proposals, whose rows are rejected individually (core/changes/bulk_load.py)."""

import re
from typing import Any, Final

from jupyter_colophon.core.changes.bulk_load import Batch, RowRejection, StoredRejection
from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.errors import (
    IdempotencyKeyReused,
    InvalidName,
    LoadEnded,
    MalformedBody,
    MetadataError,
    NotFound,
    StorageError,
)
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.problems import render_rejection_as_problem
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.request_schemas import SCHEMAS
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT, PLACES
from jupyter_colophon.service.changes.loads import ParsedRow

_NAME: Final = re.compile(str(PLACES["load"].schema["pattern"]))
_NEXT: Final = [OperationLink("readLoad", {"path.load": "$response.body#/id"})]


@declare_operation("readLoad", "GET /loads/{load}", decided_by="sender", answers="load", errors=[NotFound])
def read_load(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the progress of a load; it is kept for 30 days after its last update."""
    return to_api_document(
        services.get_or_open_catalog().loads.read_load_of_principal(_parse_load_name(request), request.principal)
    )


@declare_operation(
    "openLoad",
    "PUT /loads/{load}",
    decided_by="sender",
    answers="load",
    errors=[InvalidName, LoadEnded, MalformedBody],
    links=_NEXT,
)
def open_or_resume_load(services: ProcessServices, request: OperationRequest) -> Document:
    """Open a load, or resume an open one; a load that has ended cannot be reopened."""
    name = request.path["load"]
    if not _NAME.fullmatch(name):
        raise InvalidName("load", name, "must be 1 to 128 letters, digits, dots, dashes and underscores")
    if request.read_body().strip() not in (b"", b"{}"):
        raise MalformedBody("the request that opens a load must have no body, or {}")
    return to_api_document(services.get_or_open_catalog().loads.open_or_resume_load(name, request.principal))


@declare_operation(
    "endLoad", "PATCH /loads/{load}", decided_by="sender", body="load-end", answers="load", errors=[NotFound, LoadEnded]
)
def end_load(services: ProcessServices, request: OperationRequest) -> Document:
    """Commit or abort a load; no further batches are accepted."""
    return to_api_document(
        services.get_or_open_catalog().loads.end_load_of_principal(
            _parse_load_name(request), request.body["state"], request.principal
        )
    )


@declare_operation(
    "loadBatch",
    "POST /loads/{load}/batches",
    decided_by="sender",
    body="load-batch",
    answers="load-batch-result",
    errors=[NotFound, IdempotencyKeyReused, LoadEnded],
)
def apply_load_batch(services: ProcessServices, request: OperationRequest) -> Document:
    """Apply a batch once, in one transaction; rows that cannot be applied are rejected individually."""
    body = request.body
    batch = Batch(_parse_load_name(request), body["partition"], body["number"], request.fingerprint())
    rows = [_parse_row_or_rejection(at, row) for at, row in enumerate(body["rows"])]
    done = services.get_or_open_catalog().loads.apply_batch_once(batch, rows, request.principal)
    return {
        "written": done.written,
        "unchanged": done.unchanged,
        "rejected": [_render_rejected_row(item) for item in done.refused],
    }


@declare_operation(
    "listLoadRejections",
    "GET /loads/{load}/rejections",
    decided_by="sender",
    parameters=[LIMIT, CURSOR],
    answers="load-rejections",
    errors=[NotFound],
)
def list_load_rejections(services: ProcessServices, request: OperationRequest) -> Document:
    """List the rejected rows of a load, in their order."""
    loads = services.get_or_open_catalog().loads
    refusals, cursor = loads.list_rejected_rows(
        _parse_load_name(request), request[LIMIT], request[CURSOR], request.principal
    )
    return {"rejections": [_render_stored_rejection(item) for item in refusals], "cursor": cursor}


def _parse_load_name(request: OperationRequest) -> str:
    """Return the name in the path. Raises NotFound for a name that no load can have."""
    name = request.path["load"]
    if not _NAME.fullmatch(name):
        raise NotFound("load", name)
    return name


def _parse_row_or_rejection(index: int, row: Any) -> ParsedRow:
    """Return the proposal of a row, or the reason why the row is rejected."""
    try:
        SCHEMAS.require_valid_body("proposal", row)
        return documents.parse_proposal(row)
    except StorageError:
        raise
    except MetadataError as error:
        urn = row.get("urn") if isinstance(row, dict) else None
        return RowRejection(index, urn[:4096] if isinstance(urn, str) else None, Rejection.from_error(error))


def _render_rejected_row(value: RowRejection) -> Document:
    return {"row": value.row, "urn": value.urn, "problem": render_rejection_as_problem(value.refusal)}


def _render_stored_rejection(value: StoredRejection) -> Document:
    return {"partition": value.partition, "number": value.number} | _render_rejected_row(value.row)
