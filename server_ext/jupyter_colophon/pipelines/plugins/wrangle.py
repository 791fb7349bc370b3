"""Recipes of directives: their results, and the rows that they reject."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.artifact_code import ClassesOfArtifacts
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Plugin, TransformPlugin
from jupyter_colophon.pipelines.plugins import property_schemas
from jupyter_colophon.wrangling import Directive, RecipeError, apply_recipe_to_dataframe
from jupyter_colophon.wrangling.column_types import TYPES
from jupyter_colophon.wrangling.spark_dataframes import (
    REJECTED_COLUMNS,
    RecipeText,
    apply_recipe_and_count_rejected_rows,
    select_rejected_rows,
)

_RECIPE = {
    "recipe": property_schemas.define_text("Recipe", "One directive per line, such as trim :name"),
    "directives": {
        "title": "Directives of artifacts",
        "description": "Those that the recipe uses, as artifact/version/name, or artifact/name for the newest version",
        "type": "array",
        "items": {"type": "string", "pattern": "^[^/]+/([^/]+/)?[^/]+$"},
        "maxItems": 100,
    },
}


class RecipePlugin(TransformPlugin):
    """A plugin with a recipe."""

    required = ("recipe",)
    #: The directives of artifacts that stages of the pipeline name.
    known_directives: ClassVar[Mapping[str, type[Directive]]] = MappingProxyType({})

    @classmethod
    def create_class(cls, directives: Mapping[str, type[Directive]]) -> type[Self]:
        """Return this plugin with directives of artifacts."""
        return type(cls.__name__, (cls,), {"known_directives": directives})

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem for an unknown directive of an artifact, or for an invalid recipe."""
        names = self.settings.get("directives", ())
        missing = [index for index, name in enumerate(names) if name not in self.known_directives]
        for index in missing:
            yield Problem(f"/directives/{index}", f"the directive {names[index]} was not found in the namespace")
        if missing:
            return
        try:
            self.get_recipe().parse()
        except RecipeError as error:
            yield Problem("/recipe", str(error))

    def get_recipe(self) -> RecipeText:
        """Return the recipe, with the directives of artifacts of this stage."""
        names = self.settings.get("directives", ())
        known = self.known_directives
        directives = (
            known.select(names) if isinstance(known, ClassesOfArtifacts) else {name: known[name] for name in names}
        )
        return RecipeText(self.settings["recipe"], directives)


class Wrangle(RecipePlugin):
    """Apply a recipe of directives."""

    name = "wrangle"
    title = "Wrangle"
    description = "Rows that a recipe of directives makes"
    properties = {
        **_RECIPE,
        "columns": {
            "title": "Columns",
            "description": "The columns of the result with their types; by default those of the first 1,000 rows",
            "type": "object",
            "additionalProperties": {"type": "string", "enum": [*TYPES]},
        },
        "on_rejected": property_schemas.define_choice(
            "Rejected rows",
            "What happens if a directive cannot process a row: the run fails, or the row is left out and counted",
            "fail",
            "skip",
            default="fail",
        ),
    }

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of the setting."""
        columns = self.settings.get("columns")
        return tuple(columns) if columns else None

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the result; the figure `rejected` is the number of rows that are left out."""
        (data,) = inputs.values()
        recipe, columns = self.get_recipe(), self.settings.get("columns") or None
        if self.settings.get("on_rejected", "fail") == "fail":
            return apply_recipe_to_dataframe(data, recipe.text, columns, directives=recipe.directives)
        from pyspark.sql import functions

        result, count = apply_recipe_and_count_rejected_rows(data, recipe, columns)
        number = functions.coalesce(functions.sum(count), functions.lit(0))
        return context.observe_figure("rejected", result, number).filter(functions.col(count).isNull()).drop(count)


class RejectedRows(RecipePlugin):
    """Return the rows that a recipe rejects."""

    name = "wrangle-rejected"
    title = "Rejected rows"
    description = "Rows that a directive of a recipe cannot process: line, directive, reason, and the row as JSON"
    properties = _RECIPE

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of rejected rows."""
        return tuple(REJECTED_COLUMNS)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the rejected rows."""
        (data,) = inputs.values()
        return select_rejected_rows(data, self.get_recipe())


PLUGINS = (Wrangle, RejectedRows)
#: The plugins whose property `directives` names directives of artifacts, by type and name.
RECIPE_PLUGINS: Final = {(plugin.type, plugin.name): plugin for plugin in PLUGINS}


def create_recipe_plugins(directives: Mapping[str, type[Directive]]) -> dict[tuple[str, str], type[Plugin]]:
    """Return the plugins with a recipe, with directives of artifacts."""
    return {key: plugin.create_class(directives) for key, plugin in RECIPE_PLUGINS.items()}
