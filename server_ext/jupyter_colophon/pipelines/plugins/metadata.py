"""Actions on metadata."""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity, entity
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.core.package_data import schemas_dir
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Action, Columns
from jupyter_colophon.pipelines.plugins import shapes

_SCOPE = shapes.choice("Scope", "Whether people say it, or machines", "USER", "SYSTEM", default="USER")


class Propagate(Action):
    """Copies the metadata of one dataset to another."""

    name = "propagate"
    title = "Propagate"
    description = "Copy the metadata of a source and its fields to a sink"
    properties = {
        "source": shapes.text(
            "Source", "A stage, for what it reads; or database.table, an absolute path, a URN", default="${source}"
        ),
        "sink": shapes.text("Sink", "A stage, for what it writes; or a dataset", default="${sink}"),
        "properties": shapes.texts(
            "Properties", "The keys, as globs; all if neither these nor tags are given, none if only tags are"
        ),
        "tags": shapes.texts("Tags", "The tags, likewise"),
        "scope": _SCOPE,
        "fields": {
            "title": "Fields",
            "description": "Which fields too: same for all, or the sink's names by the source's",
            "oneOf": [{"const": "same"}, {"type": "object", "additionalProperties": {"type": "string"}}],
        },
    }

    arguments = ("source", "sink")

    def entities(self, namespace: str) -> Iterable[MetadataEntity]:
        """The source, where the properties name it; by an argument it is known with the run alone."""
        return (entity(self.settings["source"], namespace),) if "source" in self.settings else ()

    def act(self, context: StageContext) -> None:
        """Read the metadata of the source, and emit it for the sink."""
        source, sink = (self._dataset(context, name) for name in ("source", "sink"))
        options: dict[str, Any] = {name: self.settings[name] for name in ("scope", "fields") if name in self.settings}
        context.metadata.propagate(source, sink, self.settings.get("properties"), self.settings.get("tags"), **options)
        context.log(f"propagates from {source} to {sink}")

    def _dataset(self, context: StageContext, name: str) -> MetadataEntity:
        if name in self.settings:
            return _named(context, self.settings[name])
        return context.entity_from(name)


class SetMetadata(Action):
    """Says something of a dataset or a field."""

    name = "set-metadata"
    title = "Set metadata"
    description = "Set and remove properties and tags of a dataset, or of one of its fields"
    properties = {
        "dataset": shapes.text(
            "Dataset", "A stage, for what it reads or writes; or database.table, an absolute path, a URN"
        ),
        "field": shapes.text("Field", "Of this field of it"),
        "properties": shapes.words("Properties", "These are set"),
        "tags": shapes.texts("Tags", "These are added"),
        "without_properties": shapes.texts("Without properties", "The keys that are removed", minItems=1),
        "without_tags": shapes.texts("Without tags", "The tags that are removed", minItems=1),
        "scope": _SCOPE,
    }
    required = ("dataset",)

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Tags and properties that nothing can have."""
        annotation = {"properties": self.settings.get("properties", {}), "tags": self.settings.get("tags", [])}
        return _aspect(self.settings.get("scope", "USER")).problems(annotation)

    def act(self, context: StageContext) -> None:
        """Emit it."""
        of = _named(context, self.settings["dataset"])
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
def _aspect(scope: str) -> Schema:
    name = "businessMetadata" if scope == "USER" else "technicalMetadata"
    return Schema(json.loads((schemas_dir() / "aspects" / f"{name}.json").read_text("utf-8")))


def _named(context: StageContext, name: str) -> MetadataEntity:
    """The dataset of a stage that is called so, else the dataset itself."""
    return context.datasets.get(name) or entity(name, context.namespace)


PLUGINS = (Propagate, SetMetadata)
