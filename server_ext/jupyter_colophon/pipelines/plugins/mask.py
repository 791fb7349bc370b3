"""Mask confidential columns, by name or by the tags of their fields."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.nesting import paths_inside
from jupyter_colophon.client.programs.reading import SCOPES, MetadataUnavailable
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Transform, absent
from jupyter_colophon.pipelines.plugins import shapes


class Mask(Transform):
    """Hides columns: those that are named, and those made of fields with a tag, whatever they are called by now."""

    name = "mask"
    title = "Mask"
    description = "Hide columns that are named, or that are made of fields with one of some tags"
    properties = {
        "columns": shapes.texts("Columns", "These columns"),
        "tagged": shapes.texts(
            "Tagged", "And those made of a field with one of these tags, in any letter case and either scope"
        ),
        "how": shapes.choice("How", "What stands there instead", "hash", "null", "redact", "drop", default="hash"),
        "salt_from": shapes.text(
            "Salt from",
            "The environment variable with a secret that hashes are made with",
            pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        ),
    }

    def __init__(self, stage: str, settings: Mapping[str, Any]) -> None:
        super().__init__(stage, settings)
        self._hidden: tuple[str, ...] = tuple(settings.get("columns", ()))

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Columns that do not come in; nothing to hide."""
        if not self.settings.get("columns") and not self.settings.get("tagged"):
            yield Problem("", "say columns or tagged: nothing would be hidden")
        yield from absent("/columns", self.settings.get("columns", ()), next(iter(inputs), None))

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """All, unless some are dropped."""
        return None if self.settings.get("how") == "drop" else next(iter(inputs), None)

    def initialize(self, context: StageContext) -> None:
        """Find what people and machines tagged. Raises MetadataUnavailable: what may be confidential is not let through."""
        wanted = {tag.casefold() for tag in self.settings.get("tagged", ())}
        named = {name.lower() for name in self.settings.get("columns", ())}
        schema = context.input_schema
        names = schema.names if schema is not None else ()
        origins, tags = context.origins if wanted else {}, _Tags(context)
        self._hidden = tuple(name for name in names if name.lower() in named or tags.of(origins.get(name, ())) & wanted)
        context.log(f"hides {', '.join(self._hidden) or 'nothing'}")

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The data without what is hidden."""
        (data,) = inputs.values()
        if self.settings.get("how") == "drop":
            return data.drop(*self._hidden)
        return data.withColumns({name: self._instead(data, name) for name in self._hidden}) if self._hidden else data

    def _instead(self, data: Any, name: str) -> Any:
        from pyspark.sql import functions

        match self.settings.get("how", "hash"):
            case "null":
                return functions.lit(None).cast(data.schema[name].dataType)
            case "redact":
                return functions.when(data[name].isNotNull(), functions.lit("***"))
            case _:
                return functions.sha2(functions.concat(functions.lit(self._salt()), data[name].cast("string")), 256)

    def _salt(self) -> str:
        variable = self.settings.get("salt_from")
        if variable is None:
            return ""
        if variable not in os.environ:
            msg = f"the environment has no variable {variable}, which should have the salt"
            raise LookupError(msg)
        return os.environ[variable]


class _Tags:
    """The tags of fields, with those of the fields inside them: what is inside a dataset's fields is found once."""

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._inside: dict[MetadataEntity, Mapping[str, list[str]]] = {}

    def of(self, fields: Iterable[MetadataEntity]) -> set[str]:
        """Return the tags of these fields, folded: whoever tags a column `Confidential` means the same."""
        found = [self._context.metadata.get(one) for field in fields for one in (field, *self._nested(field))]
        return {tag.casefold() for each in found for scope in SCOPES for tag in each[scope].tags}

    def _nested(self, field: MetadataEntity) -> list[MetadataEntity]:
        dataset = field.parent
        if dataset not in self._inside:
            try:
                self._inside[dataset] = paths_inside(self._context.metadata.fields(dataset))
            except MetadataUnavailable:
                # A snapshot may have this field without its dataset's others; where nothing is known, reading the field fails.
                self._inside[dataset] = {}
        return [dataset.append("field", path) for path in self._inside[dataset].get(field.path, ())]


PLUGINS = (Mask,)
