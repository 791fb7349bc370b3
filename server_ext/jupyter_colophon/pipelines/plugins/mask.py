"""Mask confidential columns, by name or by the tags of their fields."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.nesting import group_nested_paths_by_parent
from jupyter_colophon.client.programs.reading import SCOPES, MetadataUnavailable
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin, find_unknown_columns
from jupyter_colophon.pipelines.plugins import property_schemas


class Mask(TransformPlugin):
    """Mask columns, by name or by tags of their source fields, even if the columns were renamed."""

    name = "mask"
    title = "Mask"
    description = "Mask columns by name, or by the tags of their source fields"
    properties = {
        "columns": property_schemas.define_list("Columns", "Columns to mask"),
        "tagged": property_schemas.define_list(
            "Tagged", "Also columns with a source field that has one of these tags, in any letter case and either scope"
        ),
        "how": property_schemas.define_choice(
            "How", "The replacement of values", "hash", "null", "redact", "drop", default="hash"
        ),
        "salt_from": property_schemas.define_text(
            "Salt from",
            "The environment variable with the secret salt of hashes",
            pattern="^[A-Za-z_][A-Za-z0-9_]*$",
        ),
    }

    def __init__(self, stage: str, settings: Mapping[str, Any]) -> None:
        super().__init__(stage, settings)
        self._hidden: tuple[str, ...] = tuple(settings.get("columns", ()))

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown columns, and if no column would be masked."""
        if not self.settings.get("columns") and not self.settings.get("tagged"):
            yield Problem("", "set columns or tagged: otherwise no column would be masked")
        yield from find_unknown_columns("/columns", self.settings.get("columns", ()), next(iter(inputs), None))

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return all columns, unless some are dropped."""
        return None if self.settings.get("how") == "drop" else next(iter(inputs), None)

    def initialize(self, context: StageContext) -> None:
        """Find tagged columns. Raises MetadataUnavailable, so that confidential data is never passed on."""
        selected_tags = {tag.casefold() for tag in self.settings.get("tagged", ())}
        selected_names = {name.lower() for name in self.settings.get("columns", ())}
        schema = context.input_schema
        names = schema.names if schema is not None else ()
        origins, tags = context.origins if selected_tags else {}, _FieldTags(context)
        self._hidden = tuple(
            name
            for name in names
            if name.lower() in selected_names or tags.read_tags(origins.get(name, ())) & selected_tags
        )
        context.log(f"hides {', '.join(self._hidden) or 'nothing'}")

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the masked data."""
        (data,) = inputs.values()
        if self.settings.get("how") == "drop":
            return data.drop(*self._hidden)
        return (
            data.withColumns({name: self._mask_column(data, name) for name in self._hidden}) if self._hidden else data
        )

    def _mask_column(self, data: Any, name: str) -> Any:
        from pyspark.sql import functions

        match self.settings.get("how", "hash"):
            case "null":
                return functions.lit(None).cast(data.schema[name].dataType)
            case "redact":
                return functions.when(data[name].isNotNull(), functions.lit("***"))
            case _:
                return functions.sha2(
                    functions.concat(functions.lit(self._read_salt()), data[name].cast("string")), 256
                )

    def _read_salt(self) -> str:
        variable = self.settings.get("salt_from")
        if variable is None:
            return ""
        if variable not in os.environ:
            msg = f"the environment variable {variable} for the salt is not set"
            raise LookupError(msg)
        return os.environ[variable]


class _FieldTags:
    """The tags of fields and of the fields nested in them; nested fields are looked up once per dataset."""

    def __init__(self, context: StageContext) -> None:
        self._context = context
        self._inside: dict[MetadataEntity, Mapping[str, list[str]]] = {}

    def read_tags(self, fields: Iterable[MetadataEntity]) -> set[str]:
        """Return the tags of these fields, case-folded."""
        metadata = [
            self._context.metadata.get(entity)
            for field in fields
            for entity in (field, *self._list_nested_fields(field))
        ]
        return {tag.casefold() for each in metadata for scope in SCOPES for tag in each[scope].tags}

    def _list_nested_fields(self, field: MetadataEntity) -> list[MetadataEntity]:
        dataset = field.parent
        if dataset not in self._inside:
            try:
                self._inside[dataset] = group_nested_paths_by_parent(self._context.metadata.fields(dataset))
            except MetadataUnavailable:
                # A snapshot may lack the other fields of the dataset; if it lacks this field too, reading it fails.
                self._inside[dataset] = {}
        return [dataset.append("field", path) for path in self._inside[dataset].get(field.path, ())]


PLUGINS = (Mask,)
