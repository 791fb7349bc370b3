"""The OpenAPI routes of entities: written, patched, read and deleted, many at once."""

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub import mcp, patch_forms
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidName,
    NotEmpty,
    NotFound,
    PatchFailed,
    Problem,
    TooLarge,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation, Proposal
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.http.datahub import delete, documents, shapes
from jupyter_colophon.http.datahub.base import DataHubHandler, names_in, urn_in
from jupyter_colophon.http.datahub.ingest import Wish, propose
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import flag, text

_ASPECT: Final = shapes.record(
    "value",
    value=shapes.ANY,
    systemMetadata={"type": ["object", "string", "null"]},
    headers={"type": ["object", "null"], "additionalProperties": {"type": "string"}},
    auditStamp={"type": ["object", "null"]},
)
_PATCH: Final = shapes.record(
    "value",
    value={"type": ["array", "object"]},
    systemMetadata={"type": ["object", "string", "null"]},
    headers={"type": ["object", "null"], "additionalProperties": {"type": "string"}},
)
_URN: Final = shapes.record("urn", urn=shapes.TEXT)
_ENTITIES: Final = shapes.several(_URN | {"additionalProperties": _ASPECT})
_PATCHES: Final = shapes.several(_URN | {"additionalProperties": _PATCH})
_WANTED: Final = shapes.several(_URN | {"additionalProperties": {"type": ["object", "null"]}}, maxItems=1_000)
TOLD: Final = shapes.record("urn", urn=shapes.URN) | {"description": "An entity, and each aspect under its name."}
LISTED: Final = shapes.several(TOLD)
_ASYNC: Final = flag("async", "Whether it is done later: then the answer is 202.")
SYSTEM: Final = flag("systemMetadata", "Whether to tell what was said beside each aspect.")
_ASPECTS: Final = text("aspects", "The names of the aspects wanted, with commas between; all of them without it.")
_REFUSED: Final = [InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed]


class EntityTypeHandler(DataHubHandler):
    """`POST PATCH /openapi/v3/entity/{type}`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "writeEntities",
        takes=[_ASYNC, IDEMPOTENCY_KEY],
        body={"application/json": _ENTITIES},
        answers={200: LISTED, 202: LISTED},
        refuses=_REFUSED,
    )
    async def post(self, kind: str) -> None:
        """Make these the values of these aspects of these entities, wholly or not at all; with `async`, later."""
        later = self.asked(_ASYNC)
        await self.reply(lambda asking: _written(asking, kind, "upsert", later=later), _ENTITIES)

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "patchEntities",
        takes=[_ASYNC, IDEMPOTENCY_KEY],
        body={"application/json": _PATCHES},
        answers={200: LISTED, 202: LISTED},
        refuses=_REFUSED,
    )
    async def patch(self, kind: str) -> None:
        """Change these aspects of these entities by JSON Patches, or by DataHub's form of them."""
        later = self.asked(_ASYNC)
        await self.reply(lambda asking: _written(asking, kind, "patch", later=later), _PATCHES)


class BatchGetHandler(DataHubHandler):
    """`POST /openapi/v3/entity/{type}/batchGet`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readEntities",
        takes=[SYSTEM],
        body={"application/json": _WANTED},
        answers={200: LISTED},
        refuses=[InvalidName, NotFound, TooLarge],
    )
    async def post(self, kind: str) -> None:
        """Those of these entities that are there, with the aspects that are named of each, or with all."""
        with_system = self.asked(SYSTEM)

        def read(asking: Asking) -> Answer:
            there = list(_stored_entities(asking, kind, with_system))
            if not there:
                asking.catalog.registry.type(kind)
            return Answer(there)

        await self.reply(read, _WANTED, asks=True)


class EntityHandler(DataHubHandler):
    """`GET DELETE /openapi/v3/entity/{type}/{urn}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readOneEntity", takes=[_ASPECTS, SYSTEM], answers={200: TOLD}, refuses=[InvalidName, NotFound])
    async def get(self, kind: str, _: str) -> None:
        """One entity with its aspects, or with those that `aspects` names."""
        urn, names, with_system = self._urn(kind), names_in(self.asked(_ASPECTS)), self.asked(SYSTEM)

        def read(asking: Asking) -> Answer:
            reader = asking.catalog.datahub.reader
            said = reader.entities([urn], names, asking.principal).get(str(urn))
            if said is None:
                asking.catalog.registry.type(kind)
                raise asking.catalog.reader.absent(urn)
            (spelled,) = reader.spelled([str(urn)])
            return Answer(documents.v3_entity(spelled, said, with_system=with_system))

        await self.reply(read, None)

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "deleteOneEntity",
        takes=[_ASPECTS, IDEMPOTENCY_KEY],
        answers={200: {"type": "null", "description": "It is gone."}},
        refuses=[InvalidName, NotFound, NotEmpty],
    )
    async def delete(self, kind: str, _: str) -> None:
        """Take the entity away, or those of its aspects that `aspects` names."""
        urn, names = self._urn(kind), names_in(self.asked(_ASPECTS))

        def act(asking: Asking) -> Answer:
            asking.catalog.registry.type(kind)
            for name in sorted(names) if names else [None]:
                delete.gone(asking, urn, name)
            return Answer(None)

        await self.reply(act, None)

    def _urn(self, kind: str) -> Urn:
        """The URN in the path, which may hold slashes. Raises InvalidName."""
        urn = urn_in(self.below(f"/openapi/v3/entity/{kind}/"))
        if urn.type != kind:
            raise InvalidName(f"{kind} URN", str(urn), "its type is another one")
        return urn


def _written(asking: Asking, kind: str, operation_: Operation, *, later: bool) -> Answer:
    asking.catalog.registry.type(kind)
    wishes = list(_wishes(asking, kind, operation_))
    outcome = propose(asking, wishes, later=later)
    return Answer(
        _sent(asking) if later else _now(asking),
        HTTPStatus.ACCEPTED if outcome.later else HTTPStatus.OK,
        outcome.headers,
    )


def _wishes(asking: Asking, kind: str, operation_: Operation) -> Iterator[Wish]:
    for at, one in enumerate(asking.body):
        urn = mcp.urn_at(one["urn"], f"/{at}/urn")
        if urn.type != kind:
            raise mcp.refused(f"/{at}/urn", f"is not of the type {kind}")
        if len(one) == 1:
            # Nothing is said of it but that it is there.
            there = Proposal(urn, None, "create", if_absent=True, spelling=mcp.spelling_of(urn, one["urn"]))
            yield Wish(there, f"/{at}", named=f"/{at}/urn")
        for name, told in one.items():
            if name != "urn":
                place = f"/{at}/{name}"
                wish = _proposal(urn, name, operation_, told, place)
                wish = replace(wish, spelling=mcp.spelling_of(urn, one["urn"]))
                listed = isinstance(told["value"], list)
                yield Wish(mcp.keyless(wish, asking.catalog.registry), f"{place}/value", listed, f"/{at}/urn")


def _proposal(urn: Urn, name: str, operation_: Operation, told: dict[str, Any], place: str) -> Proposal:
    headers = mcp.lowered(told.get("headers"))
    return Proposal(
        urn,
        name,
        operation_,
        patch_forms.wrapped(told["value"]) if operation_ == "patch" else told["value"],
        mcp.condition(headers, f"{place}/headers"),
        if_absent=mcp.if_absent(headers, f"{place}/headers"),
        system=mcp.system_metadata(told.get("systemMetadata"), f"{place}/systemMetadata"),
    )


def _sent(asking: Asking) -> list[dict[str, Any]]:
    """What was sent, as it is told where it is done later."""
    return [
        {"urn": one["urn"]} | {name: {"value": told["value"]} for name, told in one.items() if name != "urn"}
        for one in asking.body
    ]


def _now(asking: Asking) -> list[dict[str, Any]]:
    """The aspects that were sent, as they are now."""
    urns = [Urn.parse(one["urn"]) for one in asking.body]
    said = asking.catalog.datahub.reader.entities(urns, None, asking.principal)
    return [
        documents.v3_entity(
            one["urn"],
            {name: held for name, held in said.get(str(urn), {}).items() if name in one},
            with_system=False,
        )
        for urn, one in zip(urns, asking.body, strict=True)
    ]


def _stored_entities(asking: Asking, kind: str, with_system: bool) -> Iterator[dict[str, Any]]:
    """Yield those of the entities that are stored. Raises TooLarge with the place of the first that does not fit."""
    size = 0
    for at, wanted in enumerate(asking.body):
        entity = _one(asking, kind, at, wanted, with_system)
        if entity is not None:
            size += measure(entity)
            if at and size > LIST_BYTES_MAX:
                reason = (
                    f"the answer would have more than {LIST_BYTES_MAX} bytes: read fewer entities or aspects at once"
                )
                raise TooLarge(reason, (Problem(f"/{at}", reason),))
            yield entity


def _one(asking: Asking, kind: str, at: int, wanted: dict[str, Any], with_system: bool) -> dict[str, Any] | None:
    urn = mcp.urn_at(wanted["urn"], f"/{at}/urn")
    if urn.type != kind:
        raise mcp.refused(f"/{at}/urn", f"is not of the type {kind}")
    names = {name for name in wanted if name != "urn"} or None
    said = asking.catalog.datahub.reader.entities([urn], names, asking.principal).get(str(urn))
    return None if said is None else documents.v3_entity(wanted["urn"], said, with_system=with_system)


ROUTES = [
    ("/openapi/v3/entity/{type}", EntityTypeHandler),
    ("/openapi/v3/entity/{type}/batchGet", BatchGetHandler),
    ("/openapi/v3/entity/{type}/{urn}", EntityHandler),
]
