"""Joins and aggregations."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin, find_unknown_columns
from jupyter_colophon.pipelines.plugins import property_schemas

_HOW = ("inner", "left", "right", "full", "semi", "anti")
_FUNCTIONS = ("count", "count_distinct", "sum", "avg", "min", "max", "first", "last", "stddev", "collect_set")


class Join(TransformPlugin):
    """Join inputs by columns with the same names."""

    type = "joiner"
    name = "join"
    title = "Join"
    description = "Rows of several stages with equal values in some columns, in the order of the connections"
    properties = {
        "on": property_schemas.define_list(
            "On", "Names of the columns to join on; each input must have them", minItems=1
        ),
        "how": property_schemas.define_choice("How", "The join type", *_HOW, default="inner"),
    }
    required = ("on",)
    takes = (2, None)

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown and duplicate columns."""
        for columns in inputs:
            yield from find_unknown_columns("/on", self.settings["on"], columns)
        output = self.get_columns(inputs)
        twice = {
            column for column in output or () if sum(column.lower() == other.lower() for other in output or ()) > 1
        }
        if twice:
            yield Problem("", f"several stages have a column {', '.join(sorted(twice))}: rename it first")

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the join columns, then the others of each input."""
        on = {name.lower() for name in self.settings["on"]}
        one_side = self.settings.get("how") in ("semi", "anti")
        names: list[str] = list(self.settings["on"])
        for columns in inputs[:1] if one_side else inputs:
            if columns is None:
                return None
            names += [name for name in columns if name.lower() not in on]
        return tuple(names)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the joined rows."""
        how = self.settings.get("how", "inner")
        return reduce(lambda left, other: left.join(other, self.settings["on"], how), inputs.values())


class GroupBy(TransformPlugin):
    """Aggregate rows by group."""

    type = "aggregator"
    name = "group-by"
    title = "Group by"
    description = "One row for each group"
    properties = {
        "by": property_schemas.define_list("By", "The group columns; by default all rows are one group"),
        "aggregates": {
            "title": "Aggregates",
            "description": "The aggregated columns",
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "function": property_schemas.define_choice("Function", "The aggregate function", *_FUNCTIONS),
                    "column": property_schemas.define_text(
                        "Column", "The column; optional for count, which then counts rows"
                    ),
                    "as": property_schemas.define_text("As", "The name of the result"),
                },
                "required": ["function", "as"],
                "additionalProperties": False,
            },
        },
    }
    required = ("aggregates",)

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for unknown and missing columns."""
        columns = next(iter(inputs), None)
        yield from find_unknown_columns("/by", self.settings.get("by", ()), columns)
        for at, aggregate in enumerate(self.settings["aggregates"]):
            if "column" in aggregate:
                yield from find_unknown_columns(f"/aggregates/{at}/column", (aggregate["column"],), columns)
            elif aggregate["function"] != "count":
                yield Problem(f"/aggregates/{at}", f"{aggregate['function']} requires a column")

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the group columns, then the aggregates."""
        return (*self.settings.get("by", ()), *(aggregate["as"] for aggregate in self.settings["aggregates"]))

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the groups."""
        from pyspark.sql import functions

        (data,) = inputs.values()
        aggregates = [
            getattr(functions, aggregate["function"])(
                data[aggregate["column"]] if "column" in aggregate else functions.lit(1)
            ).alias(aggregate["as"])
            for aggregate in self.settings["aggregates"]
        ]
        return data.groupBy(*self.settings.get("by", ())).agg(*aggregates)


PLUGINS = (Join, GroupBy)
