"""Selection, renaming and conversion of columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin, find_unknown_columns
from jupyter_colophon.pipelines.plugins import property_schemas


class Projection(TransformPlugin):
    """Keep, drop, rename and convert columns, in this order."""

    name = "projection"
    title = "Projection"
    description = "Keep or drop columns, then rename and convert them"
    properties = {
        "keep": property_schemas.define_list("Keep", "Columns to keep, in this order; all by default", minItems=1),
        "drop": property_schemas.define_list("Drop", "Columns to drop"),
        "rename": property_schemas.define_mapping("Rename", "New names by old names"),
        "convert": property_schemas.define_mapping("Convert", "Spark SQL types by column, such as DECIMAL(10,2)"),
    }

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown columns, and duplicate names."""
        (input_columns,) = inputs or (None,)
        yield from find_unknown_columns("/keep", self.settings.get("keep", ()), input_columns)
        yield from find_unknown_columns("/drop", self.settings.get("drop", ()), input_columns)
        yield from find_unknown_columns("/rename", self._rename, self._select_columns(input_columns))
        yield from find_unknown_columns("/convert", self.settings.get("convert", ()), self.get_columns(inputs))
        if (output := self.get_columns(inputs)) is not None and len({name.lower() for name in output}) < len(output):
            yield Problem("/rename", "two columns would have the same name")

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the selected columns with their new names."""
        (input_columns,) = inputs or (None,)
        selected = self._select_columns(input_columns)
        new = {old.lower(): name for old, name in self._rename.items()}
        return None if selected is None else tuple(new.get(column.lower(), column) for column in selected)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the selected, renamed and converted columns."""
        (data,) = inputs.values()
        if self.settings.get("keep"):
            data = data.select(*self.settings["keep"])
        data = data.drop(*self.settings.get("drop", ())).withColumnsRenamed(self._rename)
        types = self.settings.get("convert", {})
        return data.withColumns({name: data[name].cast(type_) for name, type_ in types.items()}) if types else data

    @property
    def _rename(self) -> dict[str, str]:
        return dict(self.settings.get("rename", {}))

    def _select_columns(self, input_columns: Columns) -> Columns:
        selected = tuple(self.settings["keep"]) if self.settings.get("keep") else input_columns
        gone = {name.lower() for name in self.settings.get("drop", ())}
        return None if selected is None else tuple(column for column in selected if column.lower() not in gone)


PLUGINS = (Projection,)
