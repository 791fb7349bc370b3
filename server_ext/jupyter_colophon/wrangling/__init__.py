"""Recipes that clean rows: directives in text, applied to a sample, in a notebook or on Spark (docs/reference/directives.md).

It depends only on Python, because Spark's workers import it.
"""

from jupyter_colophon.wrangling.dataframes import apply_recipe_to_dataframe
from jupyter_colophon.wrangling.directive import Directive, Row
from jupyter_colophon.wrangling.directive_plugin import DirectivePlugin
from jupyter_colophon.wrangling.errors import RecipeError
from jupyter_colophon.wrangling.recipe import Recipe, RejectedRow, parse_recipe

__all__ = [
    "Directive",
    "DirectivePlugin",
    "Recipe",
    "RecipeError",
    "RejectedRow",
    "Row",
    "apply_recipe_to_dataframe",
    "parse_recipe",
]
