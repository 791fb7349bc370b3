"""Properties and tags of an entity: `E/metadata…`."""

from collections.abc import Sequence
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.metadata_scopes import Scoped
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3 import formats
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import AS_OF, FORMAT, SCOPE, SCOPES
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY

_PROPERTIES: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_TAGS: Final = {"type": "array", "items": {"type": "string"}}
_DONE: Final = {"type": "object"}
_ANY: Final = {"type": ["object", "array"]}
_WRITING: Final = (*CONDITIONS, IDEMPOTENCY_KEY)


class _MetadataHandler(V3Handler):
    """What the routes of one entity's metadata share."""

    async def found(self, *behind: str) -> tuple[Urn, str, Scoped]:
        """The entity in the path, its namespace, and what is said of it."""
        urn, says = self.place(self.segments("metadata", *behind))
        principal, time = self.principal, self.asked(AS_OF)
        found = await self.hop(lambda catalog: catalog.metadata.of(urn, says, principal, time))
        space = found.summary.namespace if found.summary is not None else self.state.identity.namespace_of(urn)
        return urn, space, found

    async def annotate(self, annotation: Annotation, *behind: str) -> None:
        """Change what people said of the entity in the path."""
        urn, says = self.place(self.segments("metadata", *behind))
        if urn.type == "dataProcessInstance":
            raise NotFound("metadata that can be written of run", str(urn))
        principal = self.principal
        proposal = Proposal(urn, "businessMetadata", "annotate", annotation, condition(self), needs="entity")

        def work(catalog: Any, once: Any) -> list[Written]:
            catalog.metadata.require(urn, says, principal)
            done: list[Written] = catalog.write_path.propose([proposal], principal, once=once)
            return done

        (done,) = await self.writing(work)
        told = "Metadata was updated." if done.changed else "There was nothing to change."
        self.answer({"message": told, "version": done.version}, etag_of(done.version))

    def scopes(self, default: str = "user") -> tuple[str, ...]:
        """The scopes that were asked for."""
        return SCOPES[self.asked(SCOPE) or default]

    def tell(self, value: Any, found: Scoped, scopes: Sequence[str]) -> None:
        """Answer with the ETag of what is shown: of two scopes it is good for reading alone (spec CDAP-4)."""
        versions = [found.of(scope).version for scope in scopes]
        self.answer(value, etag_of(versions[0]) if len(versions) == 1 else f'"{versions[0]}-{versions[1]}"')


class WholeHandler(_MetadataHandler):
    """`GET DELETE E/metadata`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadMetadata", takes=[SCOPE, FORMAT, AS_OF], answers={200: _ANY}, etag=True)
    async def get(self) -> None:
        """Properties and tags of an entity."""
        urn, space, found = await self.found()
        scopes, form = self.scopes(), self.asked(FORMAT)
        if form == "v6":
            self.tell(formats.v6(found, scopes), found, scopes)
        elif form == "v5" or len(scopes) > 1:
            self.tell(formats.records(urn, space, found, scopes, self.state.identity), found, scopes)
        else:
            self.tell(formats.whole(found.of(scopes[0])), found, scopes)

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteMetadata", takes=_WRITING, answers={200: _DONE})
    async def delete(self) -> None:
        """Remove what people said of an entity."""
        await self.annotate(Annotation(clear_properties=True, clear_tags=True))


class PropertiesHandler(_MetadataHandler):
    """`POST GET DELETE E/metadata/properties`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadProperties", takes=[SCOPE, FORMAT, AS_OF], answers={200: _ANY}, etag=True)
    async def get(self) -> None:
        """The properties of an entity."""
        _, _, found = await self.found("properties")
        scopes = self.scopes()
        if self.asked(FORMAT) == "v6":
            self.tell(formats.v6(found, scopes)["properties"], found, scopes)
        elif len(scopes) > 1:
            raise InvalidQuery("a key may be in both scopes: all needs responseFormat=v6", "scope")
        else:
            self.tell(dict(found.of(scopes[0]).properties), found, scopes)

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3AddProperties", takes=_WRITING, body={"application/json": _PROPERTIES}, answers={200: _DONE})
    async def post(self) -> None:
        """Add and overwrite properties."""
        await self.annotate(Annotation(properties=await self.body()), "properties")

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteProperties", takes=_WRITING, answers={200: _DONE})
    async def delete(self) -> None:
        """Remove all properties that people wrote."""
        await self.annotate(Annotation(clear_properties=True), "properties")


class PropertyHandler(_MetadataHandler):
    """`DELETE E/metadata/properties/{key}`, and `GET E/metadata/properties/system`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadSystemProperties", takes=[AS_OF], answers={200: _ANY}, etag=True)
    async def get(self) -> None:
        """The properties that the platform wrote; no other key can be asked for so."""
        key = self.segments()[-1]
        if key != "system":
            raise NotFound("path", key)
        _, _, found = await self.found("properties", key)
        self.tell(dict(found.system.properties), found, ("SYSTEM",))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteProperty", takes=_WRITING, answers={200: _DONE})
    async def delete(self) -> None:
        """Remove one property; an absent one too."""
        key = self.segments()[-1]
        await self.annotate(Annotation(without_properties=frozenset([key])), "properties", key)


class TagsHandler(_MetadataHandler):
    """`POST GET DELETE E/metadata/tags`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadTags", takes=[SCOPE, FORMAT, AS_OF], answers={200: _ANY}, etag=True)
    async def get(self) -> None:
        """The tags of an entity, sorted."""
        _, _, found = await self.found("tags")
        scopes = self.scopes()
        tags = sorted({tag for scope in scopes for tag in found.of(scope).tags})
        self.tell(formats.v6(found, scopes)["tags"] if self.asked(FORMAT) == "v6" else tags, found, scopes)

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3AddTags", takes=_WRITING, body={"application/json": _TAGS}, answers={200: _DONE})
    async def post(self) -> None:
        """Add tags."""
        await self.annotate(Annotation(tags=tuple(await self.body())), "tags")

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteTags", takes=_WRITING, answers={200: _DONE})
    async def delete(self) -> None:
        """Remove all tags that people wrote."""
        await self.annotate(Annotation(clear_tags=True), "tags")


class TagHandler(_MetadataHandler):
    """`DELETE E/metadata/tags/{tag}`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3DeleteTag", takes=_WRITING, answers={200: _DONE})
    async def delete(self) -> None:
        """Remove one tag; an absent one too."""
        tag = self.segments()[-1]
        await self.annotate(Annotation(without_tags=frozenset([tag])), "tags", tag)


#: The path of any entity: pairs of a word and a name, so that things may be called `metadata` or `tags`.
_ENTITY: Final = "(?:-|(?:[^/]+/[^/]+/)*[^/]+/[^/]+)"
ROUTES: list[tuple[str, type]] = [
    (f"{_ENTITY}/metadata", WholeHandler),
    (f"{_ENTITY}/metadata/properties", PropertiesHandler),
    (f"{_ENTITY}/metadata/properties/[^/]+", PropertyHandler),
    (f"{_ENTITY}/metadata/tags", TagsHandler),
    (f"{_ENTITY}/metadata/tags/[^/]+", TagHandler),
]
