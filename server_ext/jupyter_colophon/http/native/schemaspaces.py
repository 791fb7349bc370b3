"""Schemaspaces and their schemas, and the check of a schema (docs/api.md)."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import AlreadyExists, NotFound, SchemaNotFound, SchemaRejected, SchemaspaceNotFound
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import instance_documents as documents
from jupyter_colophon.http.native.documents import Document
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.parameter import choice, flag, text

if TYPE_CHECKING:
    from jupyter_colophon.core.access import Principal
    from jupyter_colophon.http.state import ServerState
    from jupyter_colophon.service.schemaspaces.schema_validator import Kind
    from jupyter_colophon.service.schemaspaces.stored_schemas import WrittenSchemas

_SPACE: Final = text("space", "Of this schemaspace alone.", format="colophon-space")
_DRY_RUN: Final = flag("dryRun", "Whether nothing is changed, and only told what would be.")
_KIND: Final = choice("kind", "What it is a schema of.", "schemaspace", "aspect", default="schemaspace")
_SCHEMA: Final = {"type": "object", "required": ["name", "properties"], "description": "The schema itself."}
_FIRST: Final = "$response.body#/schemaspaces/0"
_NEXT: Final = (
    Link("listInstances", {"path.space": f"{_FIRST}/name"}),
    Link("readSchema", {"path.space": f"{_FIRST}/name", "path.schema": f"{_FIRST}/schemas/0/name"}),
)


class SchemaspacesHandler(ApiHandler):
    """`GET /schemaspaces`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listSchemaspaces", answers="schemaspaces", links=_NEXT)
    async def get(self) -> None:
        """The schemaspaces with their schemas, and what of them did not load."""
        state = self.state
        self.answer(await self.aside(lambda: documents.schemaspaces(state.spaces())))


class RefreshHandler(ApiHandler):
    """`POST /schemaspaces/refresh`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("refreshSchemaspaces", takes=[_SPACE], answers="schemaspaces", refuses=[SchemaspaceNotFound])
    async def post(self) -> None:
        """Ask the providers of schemas again: some make them of what there is."""
        state, principal, space = self.state, self.principal, self.asked(_SPACE)

        def work() -> Document:
            state.require_admin(principal, "refresh", "schemaspaces")
            state.spaces().refresh(space or None)
            return documents.schemaspaces(state.spaces())

        self.answer(await self.aside(work))


class SpaceSchemaHandler(ApiHandler):
    """`GET PUT DELETE /schemaspaces/{space}/schemas/{schema}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readSchema",
        answers={200: _SCHEMA},
        refuses=[SchemaspaceNotFound, SchemaNotFound],
    )
    async def get(self, space: str, schema: str) -> None:
        """One schema of a schemaspace, also a deprecated one."""
        state = self.state
        self.answer(await self.aside(lambda: dict(state.spaces().schema(space, schema))))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "storeSchema",
        body={"application/json": _SCHEMA},
        answers={200: _SCHEMA, 201: _SCHEMA},
        refuses=[SchemaRejected, SchemaspaceNotFound, AlreadyExists],
    )
    async def put(self, space: str, schema: str) -> None:
        """Store a schema beside those of packages, or replace one that was stored."""
        state, principal = self.state, self.principal

        def stored(document: Document) -> tuple[bool, Document]:
            is_new = state.stored_schemas().put(state.spaces(), space, schema, document, principal.user)
            return is_new, dict(state.spaces().schema(space, schema))

        await self.aside(lambda: _require_writer(state, principal))
        document = await self.body()
        is_new, told = await self.aside(lambda: stored(document))
        self.answer(told, status=HTTPStatus.CREATED if is_new else HTTPStatus.OK)

    @authenticated
    @authorized("write", resource="colophon")
    @operation("removeSchema", answers="schemaspaces", refuses=[SchemaspaceNotFound, NotFound])
    async def delete(self, space: str, schema: str) -> None:
        """Take a stored schema away, and tell what is left; instances of it stay."""
        state, principal = self.state, self.principal

        def removed() -> Document:
            _require_writer(state, principal).remove(state.spaces(), space, schema, principal.user)
            return documents.schemaspaces(state.spaces())

        self.answer(await self.aside(removed))


def _require_writer(state: "ServerState", principal: "Principal") -> "WrittenSchemas":
    """The stored schemas, for who may change them. Raises AccessDenied."""
    state.require_admin(principal, "store", "schemas")
    return state.stored_schemas()


class MigrationHandler(ApiHandler):
    """`POST /schemaspaces/{space}/migrate`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("migrateInstances", takes=[_DRY_RUN], answers="migration", refuses=[SchemaspaceNotFound])
    async def post(self, space: str) -> None:
        """Have the schemaspace's providers migrate its instances to what their schemas are now."""
        state, principal, dry = self.state, self.principal, self.asked(_DRY_RUN)

        def work() -> Document:
            state.require_admin(principal, "migrate", "instances")
            return documents.migration(state.spaces().migrate(space, dry_run=dry))

        self.answer(await self.among(space, work))


class SchemaCheckHandler(ApiHandler):
    """`POST /schemas`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "checkSchema",
        takes=[_KIND],
        body={"application/json": {"type": "object", "description": "A JSON Schema."}},
        answers="schema-check-result",
        refuses=[SchemaRejected],
    )
    async def post(self) -> None:
        """Whether a schema could be used: its dialect, size, references, regular expressions and members."""
        document = await self.body()
        kind: Kind = "aspect" if self.asked(_KIND) == "aspect" else "schemaspace"
        from jupyter_colophon.service.schemaspaces.schema_validator import checked

        self.answer({"kind": kind, "dialect": await self.aside(lambda: checked(kind, document))})


ROUTES = [
    ("/schemaspaces", SchemaspacesHandler),
    ("/schemaspaces/refresh", RefreshHandler),
    ("/schemaspaces/{space}/schemas/{schema}", SpaceSchemaHandler),
    ("/schemaspaces/{space}/migrate", MigrationHandler),
    ("/schemas", SchemaCheckHandler),
]
