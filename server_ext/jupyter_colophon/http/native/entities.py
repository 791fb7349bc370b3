"""Entities, their aspects and the aspects' history."""

from typing import TYPE_CHECKING, Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.entities.entity import Listing
from jupyter_colophon.core.entities.metadata_scopes import Metadata, Scoped
from jupyter_colophon.core.errors import (
    ConditionFailed,
    NotEmpty,
    NotFound,
    PatchFailed,
    RenameConflict,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of, require_none
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import text, time
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT, NAMESPACE, PREFIX, REMOVED, TYPE

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_JSON_PATCH, _MERGE_PATCH = "application/json-patch+json", "application/merge-patch+json"
_VALUE: Final = {
    "type": "object",
    "description": "The value; its schema is told by `/registry/{type}`.",
    "examples": [{"properties": {"owner": "ops"}, "tags": ["faa"]}],
}
_LIST: Final = {
    "type": "array",
    "description": "A JSON Patch (RFC 6902).",
    "items": {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]},
            "path": {"type": "string"},
            "from": {"type": "string"},
            "value": {},
        },
        "required": ["op", "path"],
    },
}
#: What is told of lists holds for a list alone, and what is told of members for an object.
_LIST_OR_FORM: Final = {
    "type": ["array", "object"],
    "description": "A JSON Patch (RFC 6902), or one in DataHub's form: elements of arrays are named by their keys.",
    "items": _LIST["items"],
    "properties": {
        "patch": _LIST,
        "arrayPrimaryKeys": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "forceGenericPatch": {"type": "boolean"},
    },
    "required": ["patch"],
    "additionalProperties": False,
}
_MERGED: Final = {"type": "object", "description": "A merge patch (RFC 7396)."}
#: `application/json` is any of them: an object with `patch` and nothing that a DataHub's form has not is one.
_EITHER: Final = {"type": ["array", "object"], "items": _LIST["items"]}
_ASPECTS: Final = text("aspects", "The names of the aspects wanted, with commas between; all of them without it.")
_FROM: Final = time("start", "From this time on.")
_TO: Final = time("end", "Up to this time.")
_VERSION_READ: Final = text("If-None-Match", "An ETag known already: 304 while it is the present one.", place="header")
_NEXT = (
    Link("readAspect", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    Link("listVersions", {"path.urn": "$response.body#/urn", "path.aspect": "$response.body#/aspect"}),
    Link("readEntity", {"path.urn": "$response.body#/urn"}),
)


class EntitiesHandler(ApiHandler):
    """`GET /entities`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listEntities",
        takes=[NAMESPACE, TYPE, PREFIX, REMOVED, LIMIT, CURSOR],
        answers="entities",
        links=[Link("readEntity", {"path.urn": "$response.body#/entities/0/urn"})],
    )
    async def get(self) -> None:
        """A page of entities by namespace, type and name; it may hold fewer than `limit` while there is a cursor."""
        listing = Listing(
            namespace=self.asked(NAMESPACE),
            type=self.asked(TYPE),
            prefix=self.asked(PREFIX),
            limit=self.asked(LIMIT),
            cursor=self.asked(CURSOR),
            removed=self.asked(REMOVED),
        )
        principal = self.principal
        found, cursor = await self.hop(lambda catalog: catalog.reader.entities(listing, principal))
        self.answer({"entities": [documents.summary(one) for one in found], "cursor": cursor})


class EntityHandler(ApiHandler):
    """`GET DELETE /entities/{urn}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readEntity", takes=[_ASPECTS], answers="entity", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """One entity with its aspects, or with those that `aspects` names."""
        urn, principal = self.urn(in_path), self.principal
        named = self.asked(_ASPECTS)
        wanted = frozenset(named.split(",")) if named else None

        def work(catalog: "Catalog") -> documents.Document:
            found = catalog.reader.entity(urn, wanted, principal)
            return documents.entity(found, catalog.metadata.shown(found, principal))

        self.answer(await self.hop(work))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("deleteEntity", takes=[IDEMPOTENCY_KEY], answers="write-result", refuses=[NotFound, NotEmpty])
    async def delete(self, in_path: str) -> None:
        """Take the entity away; its history and lineage stay."""
        require_none(self)
        proposal, principal = Proposal(self.urn(in_path), None, "delete"), self.principal

        def work(catalog: Any, once: Any) -> Written:
            (written,) = catalog.write_path.propose([proposal], principal, once=once)
            if proposal.urn.type == "namespace":
                catalog.namespaces.remove_files(proposal.urn.parts[0], principal)
            done: Written = written
            return done

        self.answer(documents.written(await self.writing(work)))


class RenameHandler(ApiHandler):
    """`POST /entities/{urn}/rename`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "renameEntity",
        takes=[IDEMPOTENCY_KEY],
        body="entity-rename",
        answers="write-result",
        refuses=[NotFound, RenameConflict],
        links=[Link("readEntity", {"path.urn": "$response.body#/urn"})],
    )
    async def post(self, in_path: str) -> None:
        """Give a dataset another name, with its history, lineage, fields and all that names it."""
        require_none(self)
        urn, principal, body = self.urn(in_path), self.principal, await self.body()
        new, run = Urn.parse(body["to"]), body.get("run")
        done = await self.writing(lambda to, once: to.write_path.rename(urn, new, principal, run, once))
        self.answer(documents.written(done))


class MetadataHandler(ApiHandler):
    """`GET /entities/{urn}/metadata`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readEntityMetadata", answers="entity-metadata", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """Its properties and tags in both scopes; a field or a custom entity is there with what holds it."""
        urn, principal = self.urn(in_path), self.principal
        found = await self.hop(lambda catalog: catalog.metadata.of(urn, "", principal))
        self.answer({"urn": str(urn), **_scopes(found)})


class FieldsHandler(ApiHandler):
    """`GET /entities/{urn}/fields`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listFields", answers="fields", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """The fields of a dataset of which something was said, whether its schema names them or not."""
        urn, principal = self.urn(in_path), self.principal
        found = await self.hop(lambda catalog: catalog.metadata.fields(urn, principal))
        self.answer({"urn": str(urn), "fields": found})


class FieldsMetadataHandler(ApiHandler):
    """`GET /entities/{urn}/fields/metadata`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listFieldsMetadata", takes=[LIMIT, CURSOR], answers="fields-metadata", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """What was said of each of these fields, in both scopes: a page, which may hold fewer than there are places."""
        urn, principal, limit, cursor = self.urn(in_path), self.principal, self.asked(LIMIT), self.asked(CURSOR)
        found, more = await self.hop(lambda catalog: catalog.metadata.of_fields(urn, limit, cursor, principal))
        fields = [
            {
                "name": one.name,
                "urn": one.urn,
                **_scopes(one.scoped),
                "descriptors": [documents.descriptor(each) for each in one.shown],
            }
            for one in found
        ]
        self.answer({"urn": str(urn), "fields": fields, "cursor": more})


def _scopes(found: Scoped) -> documents.Document:
    return {"USER": _scope(found.user), "SYSTEM": _scope(found.system)}


def _scope(found: Metadata) -> documents.Document:
    return {"properties": dict(found.properties), "tags": list(found.tags), "version": found.version}


class AspectHandler(ApiHandler):
    """`GET PUT PATCH DELETE /entities/{urn}/aspects/{aspect}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readAspect", takes=[_VERSION_READ], answers="aspect", refuses=[NotFound], etag=True)
    async def get(self, in_path: str, name: str) -> None:
        """The aspect as it is now; its version is the ETag."""
        urn, principal = self.urn(in_path), self.principal
        found = await self.hop(lambda catalog: catalog.reader.aspect(urn, name, principal))
        self.answer(documents.aspect(found), etag_of(found.version))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "writeAspect",
        takes=[*CONDITIONS, IDEMPOTENCY_KEY],
        body={"application/json": _VALUE},
        answers="write-result",
        refuses=[NotFound, ConditionFailed],
        etag=True,
        links=_NEXT,
    )
    async def put(self, in_path: str, name: str) -> None:
        """Make the body the aspect's value."""
        await self._propose(Proposal(self.urn(in_path), name, "upsert", await self.body(), condition(self)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "patchAspect",
        takes=[*CONDITIONS, IDEMPOTENCY_KEY],
        body={_JSON_PATCH: _LIST_OR_FORM, _MERGE_PATCH: _MERGED, "application/json": _EITHER},
        answers="write-result",
        refuses=[NotFound, ConditionFailed, PatchFailed],
        etag=True,
        links=_NEXT,
    )
    async def patch(self, in_path: str, name: str) -> None:
        """Change the value by a JSON Patch (a list, or an object in DataHub's form) or a merge patch (an object)."""
        await self._propose(Proposal(self.urn(in_path), name, "patch", await self.body(), condition(self)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "deleteAspect",
        takes=[*CONDITIONS, IDEMPOTENCY_KEY],
        answers="write-result",
        refuses=[NotFound, ConditionFailed],
        etag=True,
        links=_NEXT,
    )
    async def delete(self, in_path: str, name: str) -> None:
        """Take the aspect away."""
        await self._propose(Proposal(self.urn(in_path), name, "delete", None, condition(self)))

    async def _propose(self, proposal: Proposal) -> None:
        principal = self.principal
        (done,) = await self.writing(lambda to, once: to.write_path.propose([proposal], principal, once=once))
        self.answer(documents.written(done), etag_of(done.version) if done.version > 0 else None)


class VersionsHandler(ApiHandler):
    """`GET /entities/{urn}/aspects/{aspect}/versions`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listVersions", takes=[LIMIT, CURSOR], answers="versions", refuses=[NotFound])
    async def get(self, in_path: str, name: str) -> None:
        """The aspect's history, newest first."""
        urn, principal, limit, cursor = self.urn(in_path), self.principal, self.asked(LIMIT), self.asked(CURSOR)
        found, more = await self.hop(lambda catalog: catalog.reader.versions(urn, name, limit, cursor, principal))
        self.answer({"versions": [documents.version(one) for one in found], "cursor": more})


class ValuesHandler(ApiHandler):
    """`GET /entities/{urn}/aspects/{aspect}/values`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listTimeseriesValues", takes=[LIMIT, _FROM, _TO], answers="timeseries-values", refuses=[NotFound])
    async def get(self, in_path: str, name: str) -> None:
        """What an aspect that is told by time says, such as `datasetProfile`, newest first."""
        urn, principal, limit = self.urn(in_path), self.principal, self.asked(LIMIT)
        start, end = self.asked(_FROM), self.asked(_TO)
        found = await self.hop(
            lambda catalog: catalog.datahub.timeseries.values(urn, name, principal, limit=limit, start=start, end=end)
        )
        self.answer({"values": [documents.timed_value(one) for one in found.values], "truncated": found.truncated})


ROUTES = [
    ("/entities", EntitiesHandler),
    ("/entities/{urn}", EntityHandler),
    ("/entities/{urn}/rename", RenameHandler),
    ("/entities/{urn}/metadata", MetadataHandler),
    ("/entities/{urn}/fields", FieldsHandler),
    ("/entities/{urn}/fields/metadata", FieldsMetadataHandler),
    ("/entities/{urn}/aspects/{aspect}", AspectHandler),
    ("/entities/{urn}/aspects/{aspect}/versions", VersionsHandler),
    ("/entities/{urn}/aspects/{aspect}/values", ValuesHandler),
]
