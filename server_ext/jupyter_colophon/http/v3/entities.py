"""Namespaces, datasets, streams and applications: `PUT GET DELETE`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.entities.entity import Listing
from jupyter_colophon.core.entities.metadata_scopes import Scoped
from jupyter_colophon.core.entities.registration_request import of_application, of_data
from jupyter_colophon.core.errors import ConfirmationRequired, NotFound
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.program_types import WORKFLOWS, programs_of
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3 import formats
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.streams import ANYTHING, SOURCE, one_event, take
from jupyter_colophon.operations.parameter import text
from jupyter_colophon.pipelines.running_pipelines import stop_in

_TEXTS: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_NAMED: Final = {"type": "object"}
_SAID: Final = {
    "type": "object",
    "properties": {"properties": _TEXTS, "tags": {"type": "array", "items": {"type": "string"}}},
    "additionalProperties": False,
}
_NAMESPACE: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "config": _TEXTS},
    "additionalProperties": False,
}
_DATA: Final = {
    "type": "object",
    "properties": {
        "typeName": {"type": "string"},
        "description": {"type": "string"},
        "ttl": {"type": ["string", "integer"], "pattern": "^[0-9]{1,18}$", "minimum": 0, "maximum": 10**18 - 1},
        "schema": {},
        "properties": {"type": "object", "properties": {"schema": {}}, "additionalProperties": {"type": "string"}},
        "metadata": _SAID,
    },
    "additionalProperties": False,
}
_ID: Final = {"type": "string"}
_WORKFLOW: Final = {
    "type": "object",
    "properties": {"name": _ID, "nodes": {"type": "array", "items": _ID}},
    "required": ["name"],
    "additionalProperties": False,
}
_APPLICATION: Final = {
    "type": "object",
    "properties": {
        "programs": {
            "type": "object",
            "properties": {WORKFLOWS: {"type": "array", "items": {"anyOf": [_ID, _WORKFLOW]}}},
            "additionalProperties": {"type": "array", "items": _ID},
        },
        "description": {"type": "string"},
        "artifact": {"type": ["string", "object"]},
        "plugins": _TEXTS,
        "schedules": _TEXTS,
        "metadata": _SAID,
    },
    "additionalProperties": False,
}
_PAGE: Final = 500
_CONFIRM: Final = text("confirm", "The namespace's name once more: everything in it goes.")


class _EntityHandler(V3Handler):
    """What the routes of entities share."""

    async def asked_body(self) -> dict[str, Any]:
        """The body; nothing is an empty object."""
        told: dict[str, Any] = await self.body() if self.request.headers.get("Content-Length", "0") != "0" else {}
        return told

    async def tell(self) -> None:
        """The entity in the path with both scopes of its metadata; of a stream, also where its events are."""
        urn, says = self.place(self.segments())
        principal, is_stream = self.principal, self.state.identity.is_stream(urn)

        def work(catalog: Any) -> dict[str, Any]:
            told = _document(urn, catalog.metadata.of(urn, says, principal))
            if not is_stream:
                return told
            folder = catalog.streams.folder(urn, principal)
            return told | {"events": None if folder is None else str(folder)}

        self.answer(await self.hop(work))

    def deployed(self) -> Urn:
        """The entity in the path, which is to be made there. Raises NotFound for a foreign one of another namespace."""
        urn, says = self.place(self.segments())
        # Ours have it in their name; that of others is told by the rules, or stored.
        if says not in ("", self.state.identity.namespace_of(urn)):
            raise NotFound("entity", str(urn))
        return urn

    async def deploy(self, urn: Urn, message: str, work: Callable[[Any], list[Written]], **more: str) -> None:
        """Make an entity known, and tell the version of what machines say of it then."""
        principal = self.principal

        def made(catalog: Any) -> tuple[bool, int]:
            changed = any(one.changed for one in work(catalog))
            return changed, catalog.metadata.of(urn, "", principal).system.version

        changed, version = await self.hop(made)
        self.answer({"message": message, **more, "changed": changed, "version": version})

    async def remove(self) -> None:
        """Take the entity in the path away, and what it holds."""
        urn, says = self.place(self.segments())
        principal, gone = self.principal, Proposal(urn, None, "delete")

        def work(catalog: Any) -> None:
            catalog.metadata.require(urn, says, principal)
            catalog.write_path.propose([gone], principal)

        await self.hop(work)
        self.answer({"message": f"{formats.kind_of(urn, self.state.identity)} was deleted."})


class NamespacesHandler(V3Handler):
    """`GET /namespaces`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListNamespaces", answers={200: {"type": "array", "items": _NAMED}})
    async def get(self) -> None:
        """All namespaces, by name."""
        principal = self.principal

        def work(catalog: Any) -> list[str]:
            found: list[str] = []
            cursor: str | None = ""
            while cursor is not None:
                page, cursor = catalog.reader.entities(Listing(type="namespace", limit=_PAGE, cursor=cursor), principal)
                found += [one.namespace for one in page]
            return sorted(found)

        self.answer([{"name": name} for name in await self.hop(work)])


class NamespaceHandler(_EntityHandler):
    """`PUT GET DELETE /namespaces/{ns}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadNamespace", answers={200: _NAMED})
    async def get(self) -> None:
        """A namespace."""
        await self.tell()

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3PutNamespace", body={"application/json": _NAMESPACE}, answers={200: _NAMED})
    async def put(self) -> None:
        """Make a namespace, or describe it anew."""
        name = names.namespace(self.segments()[-1]).parts[0]
        told, principal = await self.asked_body(), self.principal
        facts = _texts(told, "description") | told.get("config", {})

        def work(catalog: Any) -> list[Written]:
            catalog.namespaces.clear(name)
            done: list[Written] = catalog.deployer.namespace(name, facts, principal)
            return done

        await self.deploy(names.namespace(name), f"Namespace '{name}' is there.", work, name=name)

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteNamespace", takes=[_CONFIRM], answers={200: _NAMED})
    async def delete(self) -> None:
        """Delete a namespace and everything in it."""
        urn, principal = names.namespace(self.segments()[-1]), self.principal
        name = urn.parts[0]
        state = self.state
        confirmed = self.asked(_CONFIRM) == name or self.state.settings.allow_namespace_delete_without_confirm

        def work(catalog: Any) -> None:
            if not confirmed:
                # What is not there needs no confirmation; reading it tells as much.
                catalog.metadata.require(urn, "", principal)
                raise ConfirmationRequired(name)
            catalog.write_path.require_ending(name, principal)
            catalog.metadata.require(urn, "", principal)
            # First what is kept beside the catalog: who asks again after a failure finds the namespace still there.
            state.instances().clear_namespace(name, principal)
            stop_in(name)
            catalog.namespaces.delete(name, principal)

        await self.hop(work)
        self.answer({"message": f"Namespace '{name}' was deleted."})


class DatasetHandler(_EntityHandler):
    """`PUT GET DELETE /namespaces/{ns}/datasets/{d}` and `…/streams/{s}`, and `POST` of the latter."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadDataset", answers={200: _NAMED})
    async def get(self) -> None:
        """A dataset or a stream."""
        await self.tell()

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3PutDataset", body={"application/json": _DATA}, answers={200: _NAMED})
    async def put(self) -> None:
        """Make a dataset or a stream, or say more of it."""
        urn = self.deployed()
        told, principal = await self.asked_body(), self.principal
        deployed = of_data(self.segments()[-1], told, stream=self.state.identity.is_stream(urn))
        await self.deploy(urn, "It is there.", lambda catalog: catalog.deployer.entity(urn, deployed, principal))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteDataset", answers={200: _NAMED})
    async def delete(self) -> None:
        """Delete it with its metadata; what happened to it stays."""
        await self.remove()

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3WriteEvent", takes=[SOURCE], body=ANYTHING, answers={200: _NAMED})
    async def post(self) -> None:
        """Write an event into a stream; a dataset takes none."""
        await take(self, one_event)


class ApplicationHandler(_EntityHandler):
    """`PUT GET DELETE /namespaces/{ns}/apps/{a}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadApplication", answers={200: _NAMED})
    async def get(self) -> None:
        """An application."""
        await self.tell()

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3PutApplication", body={"application/json": _APPLICATION}, answers={200: _NAMED})
    async def put(self) -> None:
        """Deploy an application with its programs; one that is no longer among them is deleted."""
        urn = self.deployed()
        told, principal = await self.asked_body(), self.principal
        deployed = of_application(self.segments()[-1], told)
        programs = programs_of(told["programs"]) if "programs" in told else None
        await self.deploy(
            urn,
            "The application is deployed.",
            lambda catalog: catalog.deployer.application(urn, deployed, programs, principal),
        )

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteApplication", answers={200: _NAMED})
    async def delete(self) -> None:
        """Delete it with its programs; what they did stays."""
        await self.remove()


class ProgramHandler(_EntityHandler):
    """`GET /namespaces/{ns}/apps/{a}/{type}/{p}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadProgram", answers={200: _NAMED})
    async def get(self) -> None:
        """A program."""
        await self.tell()


def _document(urn: Urn, found: Scoped) -> dict[str, Any]:
    return {
        "name": urn.parts[-1] if found.summary is None else found.summary.name,
        "urn": str(urn),
        "description": found.system.properties.get("description", ""),
        "user": formats.whole(found.user),
        "system": formats.whole(found.system),
    }


def _texts(told: Mapping[str, Any], *keys: str) -> dict[str, str]:
    return {key: str(told[key]) for key in keys if key in told}


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces", NamespacesHandler),
    ("(?:unrecoverable/)?namespaces/[^/]+", NamespaceHandler),
    ("namespaces/[^/]+/(?:datasets?|streams?)/[^/]+", DatasetHandler),
    ("namespaces/[^/]+/apps/[^/]+", ApplicationHandler),
    ("namespaces/[^/]+/apps/[^/]+/[^/]+/[^/]+", ProgramHandler),
]
