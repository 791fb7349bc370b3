"""Actions on metadata."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity, resolve_entity
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.package_data import find_schemas_dir
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import ActionPlugin, Columns
from jupyter_colophon.pipelines.plugins import property_schemas

_SCOPE = property_schemas.define_choice(
    "Scope", "USER for metadata of people, SYSTEM for metadata of systems", "USER", "SYSTEM", default="USER"
)


class Propagate(ActionPlugin):
    """Copy the metadata of one dataset to another."""

    name = "propagate"
    title = "Propagate"
    description = "Copy the metadata of a source and its fields to a sink"
    properties = {
        "source": property_schemas.define_text(
            "Source",
            "A stage, for the dataset that it reads; or database.table, an absolute path, a URN",
            default="${source}",
        ),
        "sink": property_schemas.define_text(
            "Sink", "A stage, for the dataset that it writes; or a dataset", default="${sink}"
        ),
        "properties": property_schemas.define_list(
            "Properties", "The keys, as globs; all if neither these nor tags are given, none if only tags are"
        ),
        "tags": property_schemas.define_list("Tags", "The tags, likewise"),
        "scope": _SCOPE,
        "fields": {
            "title": "Fields",
            "description": "Copy metadata of fields too: same for all, or names in the sink by names in the source",
            "oneOf": [{"const": "same"}, {"type": "object", "additionalProperties": {"type": "string"}}],
        },
    }

    arguments = ("source", "sink")

    def list_entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """Return the source if the properties name it; one that is named by an argument is known only during the run."""
        return (resolve_entity(self.settings["source"], namespace),) if "source" in self.settings else ()

    def act(self, context: StageContext) -> None:
        """Read the metadata of the source, and emit it for the sink."""
        source, sink = (self._resolve_dataset(context, name) for name in ("source", "sink"))
        options: dict[str, Any] = {name: self.settings[name] for name in ("scope", "fields") if name in self.settings}
        context.metadata.propagate(source, sink, self.settings.get("properties"), self.settings.get("tags"), **options)
        context.log(f"propagates from {source} to {sink}")

    def _resolve_dataset(self, context: StageContext, name: str) -> MetadataEntity:
        if name in self.settings:
            return _resolve_entity(context, self.settings[name])
        return context.entity_from(name)


class SetMetadata(ActionPlugin):
    """Set metadata of a dataset or a field."""

    name = "set-metadata"
    title = "Set metadata"
    description = "Set and remove properties and tags of a dataset, or of one of its fields"
    properties = {
        "dataset": property_schemas.define_text(
            "Dataset", "A stage, for its dataset; or database.table, an absolute path, a URN"
        ),
        "field": property_schemas.define_text("Field", "Set the metadata of this field instead"),
        "properties": property_schemas.define_mapping("Properties", "Properties to set"),
        "tags": property_schemas.define_list("Tags", "Tags to add"),
        "without_properties": property_schemas.define_list("Without properties", "Keys to remove", minItems=1),
        "without_tags": property_schemas.define_list("Without tags", "Tags to remove", minItems=1),
        "scope": _SCOPE,
    }
    required = ("dataset",)

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Return problems for invalid tags and properties."""
        annotation = {"properties": self.settings.get("properties", {}), "tags": self.settings.get("tags", [])}
        return _load_schema(self.settings.get("scope", "USER")).find_all_problems(annotation)

    def act(self, context: StageContext) -> None:
        """Emit the changes."""
        of = _resolve_entity(context, self.settings["dataset"])
        if "field" in self.settings:
            of = of.append("field", self.settings["field"])
        scope, metadata = self.settings.get("scope", "USER"), context.metadata
        if self.settings.get("without_properties"):
            metadata.remove_properties(of, *self.settings["without_properties"], scope=scope)
        if self.settings.get("without_tags"):
            metadata.remove_tags(of, *self.settings["without_tags"], scope=scope)
        if self.settings.get("properties"):
            metadata.add_properties(of, self.settings["properties"], scope=scope)
        if self.settings.get("tags"):
            metadata.add_tags(of, *self.settings["tags"], scope=scope)


@cache
def _load_schema(scope: str) -> Schema:
    name = "businessMetadata" if scope == "USER" else "technicalMetadata"
    return Schema(json.loads((find_schemas_dir() / "aspects" / f"{name}.json").read_text("utf-8")))


def _resolve_entity(context: StageContext, name: str) -> MetadataEntity:
    """Return the dataset of a stage with this name, else the dataset with this name."""
    return context.datasets.get(name) or resolve_entity(name, context.namespace)


PLUGINS = (Propagate, SetMetadata)
