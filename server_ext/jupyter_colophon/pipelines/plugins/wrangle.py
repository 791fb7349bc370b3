"""Recipes of directives."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.artifact_code import ClassesOfArtifacts
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, TransformPlugin
from jupyter_colophon.pipelines.plugins import property_schemas
from jupyter_colophon.wrangling import Directive, RecipeError, apply_recipe_to_dataframe, parse_recipe
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
        "directives": {
            "title": "Directives of artifacts",
            "description": "Those that the recipe uses, as artifact/version/name, or artifact/name for the newest version",
            "type": "array",
            "items": {"type": "string", "pattern": "^[^/]+/([^/]+/)?[^/]+$"},
            "maxItems": 100,
        },
        "on_rejected": property_schemas.define_choice(
            "Rejected rows", "What happens if a directive cannot process a row", "fail", "skip", default="fail"
        ),
    }
    required = ("recipe",)
    #: The directives of artifacts that stages of the pipeline name.
    known_directives: ClassVar[Mapping[str, type[Directive]]] = MappingProxyType({})

    @classmethod
    def create_class(cls, directives: Mapping[str, type[Directive]]) -> type[Self]:
        """Return this plugin with directives of artifacts."""
        return type("Wrangle", (cls,), {"known_directives": directives})

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem for an unknown directive of an artifact, or for an invalid recipe."""
        names = self.settings.get("directives", ())
        missing = [index for index, name in enumerate(names) if name not in self.known_directives]
        for index in missing:
            yield Problem(f"/directives/{index}", f"the directive {names[index]} was not found in the namespace")
        if missing:
            return
        try:
            parse_recipe(self.settings["recipe"], self._get_directives())
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
            self._get_directives(),
        )

    def _get_directives(self) -> Mapping[str, type[Directive]]:
        """Return the directives of artifacts of this stage."""
        names = self.settings.get("directives", ())
        known = self.known_directives
        return known.select(names) if isinstance(known, ClassesOfArtifacts) else {name: known[name] for name in names}


PLUGINS = (Wrangle,)
