"""Joins and groups."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Transform, absent
from jupyter_colophon.pipelines.plugins import shapes

_HOW = ("inner", "left", "right", "full", "semi", "anti")
_FUNCTIONS = ("count", "count_distinct", "sum", "avg", "min", "max", "first", "last", "stddev", "collect_set")


class Join(Transform):
    """Joins data by columns that have the same names."""

    type = "joiner"
    name = "join"
    title = "Join"
    description = "Rows of several stages that are equal in some columns, in the order of the connections"
    properties = {
        "on": shapes.texts("On", "The columns that are compared", minItems=1),
        "how": shapes.choice("How", "Which rows without a partner stay", *_HOW, default="inner"),
    }
    required = ("on",)
    takes = (2, None)

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Columns that do not come in, or twice."""
        for known in inputs:
            yield from absent("/on", self.settings["on"], known)
        made = self.columns(inputs)
        twice = {one for one in made or () if sum(one.lower() == other.lower() for other in made or ()) > 1}
        if twice:
            yield Problem("", f"several stages have a column {', '.join(sorted(twice))}: rename it before")

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those that are compared, then the others of each stage."""
        on = {name.lower() for name in self.settings["on"]}
        one_side = self.settings.get("how") in ("semi", "anti")
        found: list[str] = list(self.settings["on"])
        for known in inputs[:1] if one_side else inputs:
            if known is None:
                return None
            found += [name for name in known if name.lower() not in on]
        return tuple(found)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The rows."""
        how = self.settings.get("how", "inner")
        return reduce(lambda one, other: one.join(other, self.settings["on"], how), inputs.values())


class GroupBy(Transform):
    """Makes one row of many."""

    type = "aggregator"
    name = "group-by"
    title = "Group by"
    description = "One row for each group"
    properties = {
        "by": shapes.texts("By", "The columns that make a group; without any all rows are one"),
        "aggregates": {
            "title": "Aggregates",
            "description": "The other columns",
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "function": shapes.choice("Function", "What is made of the group's values", *_FUNCTIONS),
                    "column": shapes.text("Column", "Whose values; count may do without, and counts rows"),
                    "as": shapes.text("As", "What it is called"),
                },
                "required": ["function", "as"],
                "additionalProperties": False,
            },
        },
    }
    required = ("aggregates",)

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Columns that do not come in or are not named."""
        known = next(iter(inputs), None)
        yield from absent("/by", self.settings.get("by", ()), known)
        for at, one in enumerate(self.settings["aggregates"]):
            if "column" in one:
                yield from absent(f"/aggregates/{at}/column", (one["column"],), known)
            elif one["function"] != "count":
                yield Problem(f"/aggregates/{at}", f"{one['function']} needs a column")

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those of the groups, then the aggregates."""
        return (*self.settings.get("by", ()), *(one["as"] for one in self.settings["aggregates"]))

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """The groups."""
        from pyspark.sql import functions

        (data,) = inputs.values()
        made = [
            getattr(functions, one["function"])(data[one["column"]] if "column" in one else functions.lit(1)).alias(
                one["as"]
            )
            for one in self.settings["aggregates"]
        ]
        return data.groupBy(*self.settings.get("by", ())).agg(*made)


PLUGINS = (Join, GroupBy)
