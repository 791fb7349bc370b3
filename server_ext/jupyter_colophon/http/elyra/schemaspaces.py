"""Schemaspaces and schemas through the Elyra state."""

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.http.elyra import shapes
from jupyter_colophon.http.elyra.base import ElyraHandler
from jupyter_colophon.http.operation import operation


class SpacesHandler(ElyraHandler):
    """`GET /elyra/schemaspace`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listSchemaspaceNames", answers={200: shapes.SPACES}, etag=True)
    async def get(self) -> None:
        """The names of the schemaspaces, without deprecated ones."""
        state = self.state
        self.answer({"schemaspaces": await self.aside(lambda: state.spaces().names())})


class SpaceHandler(ElyraHandler):
    """`GET /elyra/schemaspace/{space}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readSchemaspace", answers={200: shapes.SPACE}, refuses=[SchemaspaceNotFound], etag=True)
    async def get(self, space: str) -> None:
        """A schemaspace by its name or id."""
        state = self.state
        found = await self.aside(lambda: state.spaces().space(space))
        self.answer({name: getattr(found, name) for name in ("name", "id", "display_name", "description")})


class SchemasHandler(ElyraHandler):
    """`GET /elyra/schema/{space}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listSchemas", answers={200: shapes.SCHEMAS}, refuses=[SchemaspaceNotFound], etag=True)
    async def get(self, space: str) -> None:
        """The schemas of a schemaspace, without deprecated ones."""
        state = self.state
        found = await self.aside(lambda: [dict(one) for one in state.spaces().space(space).schemas.values()])
        self.answer({space: found})


class SchemaHandler(ElyraHandler):
    """`GET /elyra/schema/{space}/{schema}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readSchemaDocument", answers={200: shapes.SCHEMA}, refuses=[SchemaspaceNotFound, SchemaNotFound], etag=True
    )
    async def get(self, space: str, name: str) -> None:
        """A schema, also a deprecated one."""
        state = self.state
        self.answer(await self.aside(lambda: dict(state.spaces().schema(space, name))))


ROUTES = [
    ("/schemaspace", SpacesHandler),
    ("/schemaspace/{space}", SpaceHandler),
    ("/schema/{space}", SchemasHandler),
    ("/schema/{space}/{schema}", SchemaHandler),
]
