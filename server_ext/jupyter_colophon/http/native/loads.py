"""Loads: proposals in bulk, a batch at a time, of which each row stands by itself (core/changes/bulk_load.py)."""

import re
from collections.abc import Callable
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.changes.bulk_load import Applied, Batch, KeptRefusal, Load, LoadEnded, RowRefusal
from jupyter_colophon.core.changes.inbox import Refusal
from jupyter_colophon.core.errors import (
    IdempotencyKeyReused,
    InvalidName,
    MalformedBody,
    MetadataError,
    NotFound,
    StorageError,
)
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.problems import refusal
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT, PLACES
from jupyter_colophon.service.changes.loads import Read

_NAME: Final = re.compile(str(PLACES["load"].schema["pattern"]))
_NEXT: Final = [Link("readLoad", {"path.load": "$response.body#/id"})]


class LoadHandler(ApiHandler):
    """`GET PUT PATCH /loads/{load}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readLoad", answers="load", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """How far one's load came; known for thirty days after it was last touched."""
        name, principal = _known(in_path), self.principal
        self.answer(_load(await self.hop(lambda to: to.loads.read(name, principal))))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("openLoad", answers="load", refuses=[InvalidName, LoadEnded, MalformedBody], links=_NEXT)
    async def put(self, in_path: str) -> None:
        """Open a load, or go on with an open one; one that has ended stays so."""
        if not _NAME.fullmatch(in_path):
            raise InvalidName("load", in_path, "is 1 to 128 letters, digits, dots, dashes and underscores")
        if self.sent().strip() not in (b"", b"{}"):
            raise MalformedBody("a load is opened without a body, or with {}")
        principal = self.principal
        self.answer(_load(await self.hop(lambda to: to.loads.open(in_path, principal))))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("endLoad", body="load-end", answers="load", refuses=[NotFound, LoadEnded])
    async def patch(self, in_path: str) -> None:
        """Commit or abort a load: from then on no batch of it is taken."""
        name, principal, told = _known(in_path), self.principal, await self.body()
        self.answer(_load(await self.hop(lambda to: to.loads.end(name, told["state"], principal))))


class LoadBatchesHandler(ApiHandler):
    """`POST /loads/{load}/batches`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "loadBatch", body="load-batch", answers="load-batch-result", refuses=[NotFound, IdempotencyKeyReused, LoadEnded]
    )
    async def post(self, in_path: str) -> None:
        """A batch, applied once in one transaction; rows that cannot be applied are refused alone."""
        name, principal, told = _known(in_path), self.principal, await self.body()
        schemas = self.state.schemas

        def work(catalog: Any) -> Applied:
            batch = Batch(name, told["partition"], told["number"], self.fingerprint())
            rows = [_row(at, one, lambda row: schemas.validate("proposal", row)) for at, one in enumerate(told["rows"])]
            done: Applied = catalog.loads.apply(batch, rows, principal)
            return done

        done = await self.hop(work)
        self.answer(
            {"written": done.written, "unchanged": done.unchanged, "rejected": [_refused(one) for one in done.refused]}
        )


class LoadRefusalsHandler(ApiHandler):
    """`GET /loads/{load}/rejections`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listLoadRejections", takes=[LIMIT, CURSOR], answers="load-rejections", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """A page of the rows that one's load refused, by their places."""
        name, limit, cursor, principal = _known(in_path), self.asked(LIMIT), self.asked(CURSOR), self.principal
        found, more = await self.hop(lambda to: to.loads.refusals(name, limit, cursor, principal))
        self.answer({"rejections": [_kept(one) for one in found], "cursor": more})


def _known(name: str) -> str:
    """A name in a path. Raises NotFound: no load has another."""
    if not _NAME.fullmatch(name):
        raise NotFound("load", name)
    return name


def _row(at: int, told: Any, validate: Callable[[Any], None]) -> Read:
    """What a row proposes, or why it proposes nothing."""
    try:
        validate(told)
        return documents.proposal(told)
    except StorageError:
        raise
    except MetadataError as error:
        urn = told.get("urn") if isinstance(told, dict) else None
        return RowRefusal(at, urn[:4096] if isinstance(urn, str) else None, Refusal.of(error))


def _load(value: Load) -> documents.Document:
    return {
        "id": value.id,
        "state": value.state,
        "opened": format_time(value.opened),
        "updated": format_time(value.touched),
        "batches": value.batches,
        "written": value.written,
        "unchanged": value.unchanged,
        "rejected": value.refused,
    }


def _refused(value: RowRefusal) -> documents.Document:
    return {"row": value.row, "urn": value.urn, "problem": refusal(value.refusal)}


def _kept(value: KeptRefusal) -> documents.Document:
    return {"partition": value.partition, "number": value.number} | _refused(value.row)


ROUTES = [
    ("/loads/{load}", LoadHandler),
    ("/loads/{load}/batches", LoadBatchesHandler),
    ("/loads/{load}/rejections", LoadRefusalsHandler),
]
