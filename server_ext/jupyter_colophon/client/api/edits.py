"""The operations that change user metadata."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Document, Result
from jupyter_colophon.client.api.base import Asking, Named, said
from jupyter_colophon.client.api.did_you_mean import alike
from jupyter_colophon.client.aspect_edits import edit_aspect, read_stored_aspect
from jupyter_colophon.client.problems import NotFound, RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import Reader, Scope
from jupyter_colophon.client.programs.writing import Globs, Writer
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, Annotation
from jupyter_colophon.core.identity.short_names import short_name

BUSINESS = ASPECT_OF_SCOPE["USER"]
_NOTHING: Document = {"properties": {}, "tags": []}


class Writing(Asking):
    """Changes of tags and properties; each call returns the resulting metadata."""

    def tag(self, name: Named, *tags: str, field: str | None = None) -> Result:
        """Add tags to an entity, or to a field of a dataset. The entity is created if necessary; its namespace must exist."""
        return self.annotate(name, Annotation(tags=tags), field=field)

    def untag(self, name: Named, *tags: str, field: str | None = None) -> Result:
        """Remove tags; absent tags are ignored. Raises NotFound."""
        return self._lessened(name, Annotation(without_tags=frozenset(tags)), field)

    def set(
        self, name: Named, properties: Mapping[str, str] | None = None, *, field: str | None = None, **more: str
    ) -> Result:
        """Set properties: `set("sales.orders", owner="ops")`, or a mapping for keys that are not Python names."""
        return self.annotate(name, Annotation(properties={**(properties or {}), **more}), field=field)

    def unset(self, name: Named, *keys: str, field: str | None = None) -> Result:
        """Remove properties; absent ones are ignored. Raises NotFound."""
        return self._lessened(name, Annotation(without_properties=frozenset(keys)), field)

    def annotate(self, name: Named, change: Annotation, *, field: str | None = None) -> Result:
        """Apply several changes at once. Raises RequestFailed (404) if the namespace of a new entity does not exist."""
        urn = self.urn(name, field)
        is_new = find_entity(self.catalog, urn, BUSINESS) is None
        outcome: Document = {}

        def edit(value: Document) -> Document:
            outcome.clear()
            outcome.update(value | change.applied(_NOTHING | value))
            return outcome

        try:
            written = edit_aspect(self.catalog, urn, BUSINESS, edit)
        except RequestFailed as refusal:
            if refusal.is_absence:
                hint = f"{refusal}: nothing in it was read or written yet; is {short_name(urn)} spelled right?"
                raise RequestFailed(refusal.status, {**refusal.problem, "detail": hint, "errors": []}) from None
            raise
        is_unheard = is_new and field is None and self._has_no_runs(urn)
        properties, tags = said(outcome)
        document: Document = {"urn": urn, "properties": properties, "tags": tags}
        document |= {"changed": bool(written.get("changed", True)), **self._news(urn, is_unheard)}
        document["isStrange"] = field is not None and self._lacks(self.urn(name), field)
        rows = [("tag", tag, "") for tag in tags] + [("property", *pair) for pair in sorted(properties.items())]
        return Result("edit", document, ("kind", "key", "value"), rows)

    def propagate(
        self,
        source: Named,
        sink: Named,
        properties: Globs = None,
        tags: Globs = None,
        *,
        fields: Mapping[str, str] | Literal["same"] | None = None,
        scope: Scope = "USER",
    ) -> Result:
        """Says of the sink what is said of the source: all of it, or what fits the globs. Who names one of the two alone wants nothing of the other.

        `fields` does the same for fields: `{"a": "b"}` by name, or `"same"` for all that the source has. Written at once, wholly or not.
        A sink that nobody heard of becomes known; its namespace has to be there.
        """
        one, other = MetadataEntity(self.urn(source)), MetadataEntity(self.urn(sink))
        if find_entity(self.catalog, one.urn, BUSINESS) is None:
            raise NotFound(f"{short_name(one.urn)} is not in the catalog")
        is_new = find_entity(self.catalog, other.urn, BUSINESS) is None
        reader = Reader(self.catalog)
        proposals: list[Document] = []
        writer = Writer(None, proposals.append, reader.get, reader.fields, _itself)
        writer.propagate(one, other, properties, tags, scope=scope, fields=fields)
        written = self.catalog.submit_proposals({"proposals": proposals})["results"] if proposals else []
        rows = [
            (short_name(proposal["urn"]), *_words(proposal["value"]), result["changed"])
            for proposal, result in zip(proposals, written, strict=True)
        ]
        is_unheard = bool(written) and is_new and self._has_no_runs(other.urn)
        document = {"source": one.urn, "sink": other.urn, "results": written, **self._news(other.urn, is_unheard)}
        return Result("propagate", document, ("name", "tags", "properties", "changed"), rows)

    def _news(self, urn: str, is_unheard: bool) -> Document:
        """Whether this made an entry; and, as it may be misspelled, the URN that was perhaps meant."""
        return {"isNew": is_unheard, "similarName": alike(self.catalog, urn) if is_unheard else None}

    def _lacks(self, urn: str, field: str) -> bool:
        """Whether a schema of the dataset is known, and has no such field: it may be misspelled."""
        schema = read_stored_aspect(self.catalog, urn, "schemaMetadata").value.get("fields", ())
        paths = [str(one.get("fieldPath", "")) for one in schema]
        return bool(paths) and not any(path == field or path.startswith(f"{field}.") for path in paths)

    def _has_no_runs(self, urn: str) -> bool:
        """Of an entity that is new: a misspelled name makes an entry too. One that was deleted is no news: its runs tell."""
        return not self.catalog.list_runs(data=urn, limit=1)["runs"]

    def _lessened(self, name: Named, change: Annotation, field: str | None) -> Result:
        """Takes something away, which makes no entry where there is none."""
        urn = self.urn(name, field)
        if find_entity(self.catalog, urn, BUSINESS) is None:
            raise NotFound(f"{short_name(urn)} is not in the catalog")
        return self.annotate(name, change, field=field)


def _itself(named: MetadataEntity | str) -> MetadataEntity:
    return named if isinstance(named, MetadataEntity) else MetadataEntity.parse(named)


def _words(value: Mapping[str, Any]) -> Iterable[list[str]]:
    return list(value.get("tags", ())), [f"{key}={text}" for key, text in value.get("properties", {}).items()]
