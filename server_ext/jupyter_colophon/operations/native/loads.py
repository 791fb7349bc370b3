"""Loads: proposals in bulk, a batch at a time, of which each row stands by itself (core/changes/bulk_load.py)."""

import re
from typing import Any, Final

from jupyter_colophon.core.changes.bulk_load import Batch, KeptRefusal, LoadEnded, RowRefusal
from jupyter_colophon.core.changes.inbox import Refusal
from jupyter_colophon.core.documents.codec import to_document
from jupyter_colophon.core.errors import (
    IdempotencyKeyReused,
    InvalidName,
    MalformedBody,
    MetadataError,
    NotFound,
    StorageError,
)
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.problems import refusal
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.request_schemas import SCHEMAS
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT, PLACES
from jupyter_colophon.service.changes.loads import Read

_NAME: Final = re.compile(str(PLACES["load"].schema["pattern"]))
_NEXT: Final = [Link("readLoad", {"path.load": "$response.body#/id"})]


@operation("readLoad", "GET /loads/{load}", answers="load", errors=[NotFound])
def read_load(services: Services, request: Request) -> Document:
    """Read the progress of a load; it is kept for 30 days after its last update."""
    return to_document(services.catalog().loads.read(_known(request), request.principal))


@operation("openLoad", "PUT /loads/{load}", answers="load", errors=[InvalidName, LoadEnded, MalformedBody], links=_NEXT)
def open_load(services: Services, request: Request) -> Document:
    """Open a load, or resume an open one; a load that has ended cannot be reopened."""
    name = request.path["load"]
    if not _NAME.fullmatch(name):
        raise InvalidName("load", name, "is 1 to 128 letters, digits, dots, dashes and underscores")
    if request.read_body().strip() not in (b"", b"{}"):
        raise MalformedBody("a load is opened without a body, or with {}")
    return to_document(services.catalog().loads.open(name, request.principal))


@operation("endLoad", "PATCH /loads/{load}", body="load-end", answers="load", errors=[NotFound, LoadEnded])
def end_load(services: Services, request: Request) -> Document:
    """Commit or abort a load; no further batches are accepted."""
    return to_document(services.catalog().loads.end(_known(request), request.body["state"], request.principal))


@operation(
    "loadBatch",
    "POST /loads/{load}/batches",
    body="load-batch",
    answers="load-batch-result",
    errors=[NotFound, IdempotencyKeyReused, LoadEnded],
)
def load_batch(services: Services, request: Request) -> Document:
    """Apply a batch once, in one transaction; rows that cannot be applied are rejected individually."""
    body = request.body
    batch = Batch(_known(request), body["partition"], body["number"], request.fingerprint())
    rows = [_row(at, one) for at, one in enumerate(body["rows"])]
    done = services.catalog().loads.apply(batch, rows, request.principal)
    return {"written": done.written, "unchanged": done.unchanged, "rejected": [_refused(one) for one in done.refused]}


@operation(
    "listLoadRejections",
    "GET /loads/{load}/rejections",
    parameters=[LIMIT, CURSOR],
    answers="load-rejections",
    errors=[NotFound],
)
def list_load_rejections(services: Services, request: Request) -> Document:
    """List the rejected rows of a load, in their order."""
    loads = services.catalog().loads
    found, cursor = loads.refusals(_known(request), request[LIMIT], request[CURSOR], request.principal)
    return {"rejections": [_kept(one) for one in found], "cursor": cursor}


def _known(request: Request) -> str:
    """Return the name in the path. Raises NotFound: no load has another."""
    name = request.path["load"]
    if not _NAME.fullmatch(name):
        raise NotFound("load", name)
    return name


def _row(at: int, row: Any) -> Read:
    """Return what a row proposes, or why it proposes nothing."""
    try:
        SCHEMAS.validate("proposal", row)
        return documents.proposal(row)
    except StorageError:
        raise
    except MetadataError as error:
        urn = row.get("urn") if isinstance(row, dict) else None
        return RowRefusal(at, urn[:4096] if isinstance(urn, str) else None, Refusal.of(error))


def _refused(value: RowRefusal) -> Document:
    return {"row": value.row, "urn": value.urn, "problem": refusal(value.refusal)}


def _kept(value: KeptRefusal) -> Document:
    return {"partition": value.partition, "number": value.number} | _refused(value.row)
