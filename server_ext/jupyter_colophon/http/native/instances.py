"""The instances of a schemaspace: listed, changed, brought back, taken along (docs/api.md)."""

import json
from http import HTTPStatus
from typing import Any, Final

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
    InvalidInstanceName,
    InvalidQuery,
    NotFound,
    PatchFailed,
    RemovalNotPermitted,
    RenameNotSupported,
    SchemaNotFound,
    SchemaspaceNotFound,
    TooLarge,
)
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.instances.instance_query import SORTS, ExportChoice, InstanceQuery
from jupyter_colophon.core.read_budget import require_answer_size
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import instance_documents as documents
from jupyter_colophon.http.native.documents import Document
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of
from jupyter_colophon.operations.parameter import Parameter, choice, flag, number, text
from jupyter_colophon.operations.shared_parameters import CURSOR, DEFAULT_LIMIT, LIMIT_MAX

#: So many tags can be asked for at once.
_TAGS_MAX: Final = 100


def _tags(told: str) -> tuple[str, ...]:
    """One tag, or a JSON list of them: a tag may hold any character."""
    if not told.startswith("["):
        return (told,) if told else ()
    try:
        found = json.loads(told)
    except (ValueError, RecursionError):
        raise InvalidQuery("a tag, or a JSON list of tags", "tag") from None
    if len(found) > _TAGS_MAX or not all(isinstance(one, str) for one in found):
        raise InvalidQuery(f"a JSON list of at most {_TAGS_MAX} tags", "tag")
    return tuple(found)


_Q: Final = text("q", "With this in the name, the display name, the description or a tag; letter case does not matter.")
_TAG: Final[Parameter[tuple[str, ...]]] = Parameter(
    "tag", "With this tag, or with one of these: a JSON list.", {"type": "string"}, _tags, ()
)
_SCHEMA: Final = text("schema", "Of this schema alone.")
_VALID: Final = choice("valid", "Those alone that are valid, or those that are not.", "true", "false")
_SORT: Final = choice("sort", "By what they are in order; `-` turns it round.", *SORTS, default="display_name")
_LIMIT: Final = number("limit", "How many at most.", default=DEFAULT_LIMIT, least=1, most=LIMIT_MAX)
_POINTER: Final = text("pointer", "A JSON Pointer into `metadata`, such as `/language`.", required=True)
_DRY_RUN: Final = flag("dryRun", "Whether nothing is changed, and only told what would be.")
_OVERWRITE: Final = flag("overwrite", "Whether an instance that is there already is replaced.")
_KNOWN: Final = text("If-None-Match", "An ETag known already: 304 while it is the present one.", place="header")
_MERGED: Final = {
    "type": "object",
    "description": "A merge patch (RFC 7396) of `display_name`, `schema_name`, `metadata` and `extra`.",
}
_SAVE_REFUSES: Final = (
    SchemaspaceNotFound,
    InvalidInstanceName,
    SchemaNotFound,
    InstanceInvalid,
    InstanceIsDirectory,
    HookDenied,
    HookFailed,
)
_NEXT: Final = (
    Link("readInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
    Link("deleteInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
)
_VALID_WORDS: Final[dict[str, bool | None]] = {"": None, "true": True, "false": False}


class _InstanceAnswer(ApiHandler):
    def tell(self, found: Instance, status: int = HTTPStatus.OK) -> None:
        """An instance, with its version as the ETag; without one while the catalog is away."""
        etag = None if found.version is None else etag_of(found.version)
        self.answer(documents.instance(found), etag, status)


class InstancesHandler(_InstanceAnswer):
    """`GET POST /schemaspaces/{space}/instances`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listInstances",
        takes=[_Q, _TAG, _SCHEMA, _VALID, _SORT, _LIMIT, CURSOR],
        answers="instances",
        refuses=[SchemaspaceNotFound],
        links=[
            Link(
                "readInstance",
                {"path.space": "$request.path.space", "path.instance": "$response.body#/instances/0/name"},
            )
        ],
    )
    async def get(self, space: str) -> None:
        """A page of a schemaspace's instances, valid or not, with counts of tags and schemas."""
        query = InstanceQuery(
            text=self.asked(_Q),
            tags=self.asked(_TAG),
            schema=self.asked(_SCHEMA),
            valid=_VALID_WORDS[self.asked(_VALID)],
            sort=self.asked(_SORT),
            limit=self.asked(_LIMIT),
            cursor=self.asked(CURSOR),
        )
        state, principal = self.state, self.principal
        self.answer(documents.page(await self.among(space, lambda: state.instances().page(space, query, principal))))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "createInstance",
        body="instance-edit",
        answers={201: "instance"},
        refuses=[*_SAVE_REFUSES, InstanceExists],
        etag="usually",
        links=[Link(one.operation, one.parameters, status=201) for one in _NEXT],
    )
    async def post(self, space: str) -> None:
        """Make an instance; without a name, it gets one made of its display name."""
        state, principal, document = self.state, self.principal, documents.edited(await self.body())
        name = document.pop("name", None)
        made = await self.among(space, lambda: state.instances().create(space, name, document, principal))
        self.set_header("Location", f"{self.base_url}colophon/api/schemaspaces/{made.space}/instances/{made.name}")
        self.tell(made, HTTPStatus.CREATED)


class InstanceHandler(_InstanceAnswer):
    """`GET PUT PATCH DELETE /schemaspaces/{space}/instances/{instance}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readInstance",
        takes=[_KNOWN],
        answers="instance",
        refuses=[SchemaspaceNotFound, InstanceNotFound],
        etag="usually",
    )
    async def get(self, space: str, name: str) -> None:
        """An instance, valid or not, with what is wrong with it."""
        state, principal = self.state, self.principal
        self.tell(await self.among(space, lambda: state.instances().get_any(space, name, principal)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "writeInstance",
        takes=CONDITIONS,
        body="instance-edit",
        answers="instance",
        refuses=[*_SAVE_REFUSES, InstanceNotFound, RenameNotSupported, ConditionFailed],
        etag="usually",
        links=_NEXT,
    )
    async def put(self, space: str, name: str) -> None:
        """Replace an instance; one that is broken is repaired so."""
        state, principal, document = self.state, self.principal, documents.edited(await self.body())
        wanted = condition(self)
        self.tell(await self.among(space, lambda: state.instances().update(space, name, document, wanted, principal)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "patchInstance",
        takes=CONDITIONS,
        body={"application/merge-patch+json": _MERGED},
        answers="instance",
        refuses=[
            *_SAVE_REFUSES,
            InstanceNotFound,
            InstanceUnreadable,
            RenameNotSupported,
            ConditionFailed,
            PatchFailed,
        ],
        etag="usually",
        links=_NEXT,
    )
    async def patch(self, space: str, name: str) -> None:
        """Change parts of an instance."""
        state, principal, changes = self.state, self.principal, documents.merged(await self.body())
        wanted = condition(self)
        self.tell(await self.among(space, lambda: state.instances().patch(space, name, changes, wanted, principal)))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "deleteInstance",
        takes=CONDITIONS,
        answers="instance-delete-result",
        refuses=[
            SchemaspaceNotFound,
            InstanceNotFound,
            RemovalNotPermitted,
            InstanceIsDirectory,
            ConditionFailed,
            HookDenied,
            HookFailed,
        ],
        links=[
            Link("readInstance", {"path.space": "$request.path.space", "path.instance": "$request.path.instance"}),
        ],
    )
    async def delete(self, space: str, name: str) -> None:
        """Remove an instance, also a broken one; `restore` undoes it."""
        state, principal, wanted = self.state, self.principal, condition(self)

        def work() -> Document:
            done = state.instances().remove(space, name, wanted, principal)
            return documents.removed(state.spaces().space(space).key, done)

        self.answer(await self.among(space, work))


class RestoreHandler(_InstanceAnswer):
    """`POST /schemaspaces/{space}/instances/{instance}/restore`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "restoreInstance",
        takes=CONDITIONS,
        body="instance-restore",
        answers="instance",
        refuses=[*_SAVE_REFUSES, NotFound, ConditionFailed],
        etag="usually",
        links=_NEXT,
    )
    async def post(self, space: str, name: str) -> None:
        """Make an earlier version the present one; this undoes a removal too."""
        state, principal, body = self.state, self.principal, await self.body()
        version, wanted = int(body["version"]), condition(self)
        self.tell(await self.among(space, lambda: state.instances().restore(space, name, version, wanted, principal)))


class InstanceValuesHandler(ApiHandler):
    """`GET /schemaspaces/{space}/values`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listInstanceValues", takes=[_SCHEMA, _POINTER], answers="instance-values", refuses=[SchemaspaceNotFound]
    )
    async def get(self, space: str) -> None:
        """What instances say at one place, the most frequent first; no secret."""
        state, principal, schema, pointer = self.state, self.principal, self.asked(_SCHEMA), self.asked(_POINTER)
        self.answer(
            documents.values(
                await self.among(space, lambda: state.instances().values(space, schema, pointer, principal))
            )
        )


class ExportHandler(ApiHandler):
    """`POST /schemaspaces/{space}/export`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "exportInstances",
        body="instance-export",
        answers="instance-bundle",
        refuses=[SchemaspaceNotFound, InstanceNotFound, TooLarge],
    )
    async def post(self, space: str) -> None:
        """Return instances as Elyra writes them."""
        state, principal, choice_ = self.state, self.principal, _choice(await self.body())

        def work() -> Document:
            found = state.instances().exported(space, choice_, principal)
            bundle = {"schemaspace": state.spaces().space(space).key, "instances": list(found)}
            require_answer_size(bundle)
            return bundle

        self.answer(await self.among(space, work))


class ImportHandler(ApiHandler):
    """`POST /schemaspaces/{space}/import`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "importInstances",
        takes=[_DRY_RUN, _OVERWRITE],
        body="instance-bundle",
        answers="instance-import",
        refuses=[SchemaspaceNotFound],
    )
    async def post(self, space: str) -> None:
        """Take instances in, each by itself; none that is there is overwritten unless that is asked for."""
        state, principal, dry, over = self.state, self.principal, self.asked(_DRY_RUN), self.asked(_OVERWRITE)
        given = (await self.body())["instances"]
        done = await self.among(
            space, lambda: state.instances().imported(space, given, principal, overwrite=over, dry_run=dry)
        )
        self.answer(documents.imported(done, dry_run=dry))


def _choice(body: dict[str, Any]) -> ExportChoice:
    return ExportChoice(
        names=tuple(body.get("names", ())),
        schema=body.get("schema", ""),
        include_invalid=body.get("includeInvalid", False),
        include_secrets=body.get("includeSecrets", False),
    )


ROUTES = [
    ("/schemaspaces/{space}/instances", InstancesHandler),
    ("/schemaspaces/{space}/instances/{instance}", InstanceHandler),
    ("/schemaspaces/{space}/instances/{instance}/restore", RestoreHandler),
    ("/schemaspaces/{space}/values", InstanceValuesHandler),
    ("/schemaspaces/{space}/export", ExportHandler),
    ("/schemaspaces/{space}/import", ImportHandler),
]
