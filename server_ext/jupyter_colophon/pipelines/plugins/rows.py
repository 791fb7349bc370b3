"""Which rows there are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Transform, absent
from jupyter_colophon.pipelines.plugins import shapes


class Filter(Transform):
    """Keeps some rows."""

    name = "filter"
    title = "Filter"
    description = "Rows for which something is true"
    properties = {"condition": shapes.text("Condition", "As Spark SQL writes it: amount > 10 AND day IS NOT NULL")}
    required = ("condition",)

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """All."""
        return next(iter(inputs), None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The rows."""
        (data,) = inputs.values()
        return data.filter(self.settings["condition"])


class Deduplicate(Transform):
    """Keeps one of equal rows."""

    name = "deduplicate"
    title = "Deduplicate"
    description = "One of the rows that are equal, in all columns or in some"
    properties = {"by": shapes.texts("By", "The columns that are compared; all where none is named")}

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Columns that do not come in."""
        return absent("/by", self.settings.get("by", ()), next(iter(inputs), None))

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """All."""
        return next(iter(inputs), None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The rows."""
        (data,) = inputs.values()
        return data.dropDuplicates(self.settings.get("by") or None)


PLUGINS = (Filter, Deduplicate)
