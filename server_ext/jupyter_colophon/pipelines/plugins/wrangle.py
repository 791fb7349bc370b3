"""Recipes of directives."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin
from jupyter_colophon.pipelines.plugins import property_schemas
from jupyter_colophon.wrangling import RecipeError, apply_recipe_to_dataframe, parse_recipe
from jupyter_colophon.wrangling.column_types import TYPES


class Wrangle(TransformPlugin):
    """Apply a recipe of directives."""

    name = "wrangle"
    title = "Wrangle"
    description = "Rows that a recipe of directives makes"
    properties = {
        "recipe": property_schemas.define_text("Recipe", "One directive per line, such as trim :name"),
        "columns": {
            "title": "Columns",
            "description": "The columns of the result with their types; by default those of the first 1,000 rows",
            "type": "object",
            "additionalProperties": {"type": "string", "enum": [*TYPES]},
        },
        "on_rejected": property_schemas.define_choice(
            "Rejected rows", "What happens if a directive cannot process a row", "fail", "skip", default="fail"
        ),
    }
    required = ("recipe",)

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem for an invalid recipe."""
        try:
            parse_recipe(self.settings["recipe"])
        except RecipeError as error:
            yield Problem("/recipe", str(error))

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of the setting."""
        columns = self.settings.get("columns")
        return tuple(columns) if columns else None

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the result."""
        (data,) = inputs.values()
        return apply_recipe_to_dataframe(
            data,
            self.settings["recipe"],
            self.settings.get("columns") or None,
            self.settings.get("on_rejected", "fail"),
        )


PLUGINS = (Wrangle,)
