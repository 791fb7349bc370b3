"""Edits of user metadata (scope USER)."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.answer import Document, Result
from jupyter_colophon.client.api.base import ApiBase, Named, split_properties_and_tags
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity, find_similar_dataset
from jupyter_colophon.client.aspect_edits import edit_aspect_with_retries, read_stored_aspect
from jupyter_colophon.client.problems import EntityNotFound, RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import RunMetadataReader, Scope
from jupyter_colophon.client.programs.writing import Globs, Writer
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, MetadataAnnotation
from jupyter_colophon.core.identity.short_names import shorten_urn

BUSINESS = ASPECT_OF_SCOPE["USER"]
_NOTHING: Document = {"properties": {}, "tags": []}


class Edits(ApiBase):
    """Add and remove tags and properties; each call returns the resulting metadata."""

    def tag(self, name: Named, *tags: str, field: str | None = None) -> Result:
        """Add tags to data, or to one of its fields. An unknown entity is created; its namespace must exist."""
        return self.annotate(name, MetadataAnnotation(tags=tags), field=field)

    def untag(self, name: Named, *tags: str, field: str | None = None) -> Result:
        """Remove tags; missing ones are ignored. Raises NotFound."""
        return self.annotate(name, MetadataAnnotation(without_tags=frozenset(tags)), field=field)

    def set(
        self, name: Named, properties: Mapping[str, str] | None = None, *, field: str | None = None, **more: str
    ) -> Result:
        """Set properties: `set("sales.orders", owner="ops")`, or a mapping for keys that are not Python names."""
        return self.annotate(name, MetadataAnnotation(properties={**(properties or {}), **more}), field=field)

    def unset(self, name: Named, *keys: str, field: str | None = None) -> Result:
        """Remove properties; missing ones are ignored. Raises NotFound."""
        return self.annotate(name, MetadataAnnotation(without_properties=frozenset(keys)), field=field)

    def annotate(self, name: Named, change: MetadataAnnotation, *, field: str | None = None) -> Result:
        """Apply several changes at once. An unknown entity is created, if its namespace exists and something is added.

        Raises EntityNotFound if nothing is added to an unknown entity, RequestFailed (404) if its namespace does not exist.
        """
        urn = self.resolve_urn(name, field)
        is_new = find_entity(self.catalog, urn, BUSINESS) is None
        if is_new and not (change.properties or change.tags):
            raise EntityNotFound(explain_missing_entity(self.catalog, urn))
        outcome: Document = {}

        def edit(value: Document) -> Document:
            outcome.clear()
            outcome.update(value | change.apply_to_metadata(_NOTHING | value))
            return outcome

        try:
            written = edit_aspect_with_retries(self.catalog, urn, BUSINESS, edit)
        except RequestFailed as refusal:
            if refusal.is_absence:
                hint = f"{refusal}; is {shorten_urn(urn)!r} spelled correctly?"
                raise RequestFailed(refusal.status, {**refusal.problem, "detail": hint, "errors": []}) from None
            raise
        is_unknown = is_new and field is None and self._has_no_runs(urn)
        properties, tags = split_properties_and_tags(outcome)
        document: Document = {"urn": urn, "properties": properties, "tags": tags}
        document |= {"changed": bool(written.get("changed", True)), **self._build_creation_note(urn, is_unknown)}
        document["isStrange"] = field is not None and self._is_field_missing_in_schema(self.resolve_urn(name), field)
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
        """Copy tags and properties from the source to the sink: all, or those that match the globs.

        If only one of `properties` and `tags` is given, nothing of the other is copied. `fields` copies those of fields as
        well: `{"a": "b"}` by name, or `"same"` for all fields of the source. All changes are written in one transaction. An
        unknown sink is created; its namespace must exist.
        """
        from_, to = MetadataEntity(self.resolve_urn(source)), MetadataEntity(self.resolve_urn(sink))
        if find_entity(self.catalog, from_.urn, BUSINESS) is None:
            raise EntityNotFound(explain_missing_entity(self.catalog, from_.urn))
        is_new = find_entity(self.catalog, to.urn, BUSINESS) is None
        reader = RunMetadataReader(self.catalog)
        proposals: list[Document] = []
        writer = Writer(None, proposals.append, reader.get_metadata, reader.get_field_names, _to_metadata_entity)
        writer.propagate(from_, to, properties, tags, scope=scope, fields=fields)
        written = self.catalog.submit_proposals({"proposals": proposals})["results"] if proposals else []
        rows = [
            (shorten_urn(proposal["urn"]), *_list_tags_and_pairs(proposal["value"]), result["changed"])
            for proposal, result in zip(proposals, written, strict=True)
        ]
        is_unknown = bool(written) and is_new and self._has_no_runs(to.urn)
        document = {
            "source": from_.urn,
            "sink": to.urn,
            "results": written,
            **self._build_creation_note(to.urn, is_unknown),
        }
        return Result("propagate", document, ("name", "tags", "properties", "changed"), rows)

    def _build_creation_note(self, urn: str, is_unknown: bool) -> Document:
        """Return whether an entity was created; as it may be misspelled, also the URN of a similar one."""
        return {"isNew": is_unknown, "similarName": find_similar_dataset(self.catalog, urn) if is_unknown else None}

    def _is_field_missing_in_schema(self, urn: str, field: str) -> bool:
        """Return whether the dataset has a schema without such a field: the field may be misspelled."""
        schema = read_stored_aspect(self.catalog, urn, "schemaMetadata").value.get("fields", ())
        paths = [str(item.get("fieldPath", "")) for item in schema]
        return bool(paths) and not any(path == field or path.startswith(f"{field}.") for path in paths)

    def _has_no_runs(self, urn: str) -> bool:
        """Return whether no run accessed the entity: then it is new, and not one that was deleted before."""
        return not self.catalog.list_runs(data=urn, limit=1)["runs"]


def _to_metadata_entity(named: MetadataEntity | str) -> MetadataEntity:
    return named if isinstance(named, MetadataEntity) else MetadataEntity.parse(named)


def _list_tags_and_pairs(value: Mapping[str, Any]) -> Iterable[list[str]]:
    return list(value.get("tags", ())), [f"{key}={text}" for key, text in value.get("properties", {}).items()]
