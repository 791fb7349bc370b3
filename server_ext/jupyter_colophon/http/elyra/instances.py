"""Instances through the Elyra state."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import (
    ConditionFailed,
    HookDenied,
    HookFailed,
    InstanceExists,
    InstanceInvalid,
    InstanceIsDirectory,
    InstanceNotFound,
    InstanceUnreadable,
    MalformedBody,
    PatchFailed,
    RemovalNotPermitted,
    RenameNotSupported,
    SchemaNotFound,
)
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.http.elyra import shapes
from jupyter_colophon.http.elyra.base import InstanceDoorHandler
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of
from jupyter_colophon.operations.parameter import flag, number, text
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT_MAX

Document = dict[str, Any]
_INVALID: Final = flag("include_invalid", "Also those that are not valid, each with its `reason`.")
_SCHEMA: Final = text("of_schema", "Of this schema alone.")
_LIMIT: Final = number(
    "limit", "How many at most; all of them without it. `Link` leads on.", default=0, least=0, most=LIMIT_MAX
)
#: Elyra's clients send back what they were given; these say nothing of what an instance is to be.
_TOLD_ONLY: Final = ("resource", "reason")
_SAVE_REFUSES: Final = (InstanceInvalid, InstanceIsDirectory, HookDenied, HookFailed, SchemaNotFound)


class _InstanceAnswer(InstanceDoorHandler):
    def tell(self, found: Instance, status: int = HTTPStatus.OK) -> None:
        """An instance; its version, where it has one, is the ETag."""
        self.answer(_document(found), None if found.version is None else etag_of(found.version), status)


class InstancesHandler(_InstanceAnswer):
    """`GET POST /elyra/metadata/{space}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listMetadata", takes=[_INVALID, _SCHEMA, _LIMIT, CURSOR], answers={200: shapes.INSTANCES}, etag=True)
    async def get(self, space: str) -> None:
        """The instances of a schemaspace, by name."""
        state, principal = self.state, self.principal
        invalid, schema, limit, cursor = (
            self.asked(_INVALID),
            self.asked(_SCHEMA),
            self.asked(_LIMIT),
            self.asked(CURSOR),
        )
        if not limit:
            found = await self.among(
                space, lambda: state.instances().list(space, principal, invalid=invalid, of_schema=schema or None)
            )
            self.answer({space: [_document(one) for one in found]})
            return
        page, more = await self.among(
            space, lambda: state.instances().slice(space, limit, cursor, principal, invalid=invalid, of_schema=schema)
        )
        if more is not None:
            asked = {
                "limit": limit,
                "cursor": more,
                "include_invalid": str(invalid).lower(),
                "of_schema": schema,
            }
            self.set_header("Link", f'<{self.request.path}?{urlencode(asked)}>; rel="next"')
        self.answer({space: [_document(one) for one in page]})

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "createMetadata",
        body={"application/json": shapes.NEW},
        answers={201: shapes.INSTANCE},
        refuses=[*_SAVE_REFUSES, InstanceExists],
        etag=True,
    )
    async def post(self, space: str) -> None:
        """Make an instance; without a name, it gets one made of its display name."""
        document = _given(await self.body())
        for one in ("schema_name", "metadata"):
            _require(document, one)
        if not {"name", "display_name"} & set(document):
            raise MalformedBody(
                "Insufficient information - request body requires one of the following: ['name', 'display_name']."
            )
        name, state, principal = _name(document), self.state, self.principal
        made = await self.among(space, lambda: state.instances().create(space, name, document, principal))
        self.set_header("Location", f"{self.base_url}elyra/metadata/{space}/{made.name}")
        self.tell(made, HTTPStatus.CREATED)


class InstanceHandler(_InstanceAnswer):
    """`GET PUT PATCH DELETE /elyra/metadata/{space}/{instance}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readMetadata",
        takes=[_INVALID],
        answers={200: shapes.INSTANCE},
        refuses=[InstanceNotFound, InstanceUnreadable, InstanceInvalid],
        etag=True,
    )
    async def get(self, space: str, name: str) -> None:
        """An instance that is valid."""
        state, principal, invalid = self.state, self.principal, self.asked(_INVALID)

        def work() -> Instance:
            read = state.instances().get_any if invalid else state.instances().get
            try:
                return read(space, name, principal)
            except SchemaNotFound as error:
                # The instance is there, and its schema is not: that is as invalid as it can be.
                raise MalformedBody(error.detail) from error

        self.tell(await self.among(space, work))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "replaceMetadata",
        takes=CONDITIONS,
        body={"application/json": shapes.WHOLE},
        answers={200: shapes.INSTANCE},
        refuses=[*_SAVE_REFUSES, InstanceNotFound, RenameNotSupported, ConditionFailed],
        etag=True,
    )
    async def put(self, space: str, name: str) -> None:
        """Replace an instance; one that is broken is repaired so."""
        document, state, principal, wanted = _given(await self.body()), self.state, self.principal, condition(self)
        _require(document, "schema_name")
        document.setdefault("metadata", {})
        self.tell(await self.among(space, lambda: state.instances().update(space, name, document, wanted, principal)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "changeMetadata",
        takes=CONDITIONS,
        body={"application/merge-patch+json": shapes.PARTS},
        answers={200: shapes.INSTANCE},
        refuses=[
            *_SAVE_REFUSES,
            InstanceNotFound,
            InstanceUnreadable,
            RenameNotSupported,
            ConditionFailed,
            PatchFailed,
        ],
        etag=True,
    )
    async def patch(self, space: str, name: str) -> None:
        """Change parts of an instance."""
        changes, state, principal, wanted = _given(await self.body()), self.state, self.principal, condition(self)
        self.tell(await self.among(space, lambda: state.instances().patch(space, name, changes, wanted, principal)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "removeMetadata",
        takes=CONDITIONS,
        answers={204: shapes.NOTHING},
        refuses=[InstanceNotFound, RemovalNotPermitted, InstanceIsDirectory, ConditionFailed, HookDenied, HookFailed],
    )
    async def delete(self, space: str, name: str) -> None:
        """Remove an instance, also a broken one."""
        state, principal, wanted = self.state, self.principal, condition(self)
        await self.among(space, lambda: state.instances().remove(space, name, wanted, principal))
        self.set_status(HTTPStatus.NO_CONTENT)
        self.finish()


def _document(value: Instance) -> Document:
    """An instance in Elyra's form: no path, and a reason only where it is invalid."""
    told: Document = {
        "name": value.name,
        "display_name": value.display_name,
        "metadata": dict(value.metadata),
        "schema_name": value.schema_name,
    }
    return {**value.extra, **told} | ({"reason": value.reason} if value.reason else {})


def _given(body: Mapping[str, Any]) -> Document:
    return {key: value for key, value in body.items() if key not in _TOLD_ONLY}


def _require(document: Document, member: str) -> None:
    if member not in document:
        raise MalformedBody(f"Insufficient information - '{member}' is missing from request body.")


def _name(document: Document) -> str | None:
    """The name that is asked for, taken out of the document. Raises MalformedBody for what is no text."""
    name = document.pop("name", None)
    if name is None or isinstance(name, str):
        return name
    raise MalformedBody("'name' is a string.")


ROUTES = [
    ("/metadata/{space}", InstancesHandler),
    ("/metadata/{space}/{instance}", InstanceHandler),
]
