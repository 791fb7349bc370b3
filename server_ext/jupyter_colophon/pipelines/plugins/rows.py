"""Selection of rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin, find_unknown_columns
from jupyter_colophon.pipelines.plugins import property_schemas


class Filter(TransformPlugin):
    """Keep the rows that satisfy a condition."""

    name = "filter"
    title = "Filter"
    description = "Rows that satisfy a condition"
    properties = {
        "condition": property_schemas.define_text(
            "Condition", "A Spark SQL condition, such as amount > 10 AND day IS NOT NULL"
        )
    }
    required = ("condition",)

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return all columns."""
        return next(iter(inputs), None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the rows."""
        (data,) = inputs.values()
        return data.filter(self.settings["condition"])


class Deduplicate(TransformPlugin):
    """Keep one of equal rows."""

    name = "deduplicate"
    title = "Deduplicate"
    description = "One of several rows that are equal in all or some columns"
    properties = {"by": property_schemas.define_list("By", "The columns to compare; all by default")}

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown columns."""
        return find_unknown_columns("/by", self.settings.get("by", ()), next(iter(inputs), None))

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return all columns."""
        return next(iter(inputs), None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the rows."""
        (data,) = inputs.values()
        return data.dropDuplicates(self.settings.get("by") or None)


PLUGINS = (Filter, Deduplicate)
