"""Apply a recipe to a DataFrame of pandas or Spark."""

from collections.abc import Mapping
from typing import Any, Literal

from jupyter_colophon.wrangling.directive import Directive
from jupyter_colophon.wrangling.normalization import normalize_row
from jupyter_colophon.wrangling.recipe import NO_PLUGINS, Recipe, parse_recipe
from jupyter_colophon.wrangling.result_columns import convert_row, detect_columns
from jupyter_colophon.wrangling.spark_dataframes import RecipeText, apply_recipe_to_spark


def apply_recipe_to_dataframe(
    data: Any,
    recipe: str,
    columns: Mapping[str, str] | None = None,
    on_rejected: Literal["fail", "skip"] = "fail",
    directives: Mapping[str, type[Directive]] = NO_PLUGINS,
) -> Any:
    """Return the result of a recipe as a DataFrame of the same library, pandas or PySpark.

    `columns` are the types of the result's columns by name (string, integer, double, boolean, date, timestamp); by default
    those of the first 1,000 rows. With Spark, a recipe in which a directive needs all rows is run in one partition.
    Rows that a directive cannot process raise RecipeError, or are removed with `skip`. `directives` are those of artifacts
    (`metadata.load_directives`). Raises RecipeError for an invalid recipe.
    """
    if hasattr(data, "mapInArrow"):
        return apply_recipe_to_spark(data, RecipeText(recipe, directives), columns, on_rejected)
    return _apply_to_pandas(data, parse_recipe(recipe, directives), columns, on_rejected)


def _apply_to_pandas(data: Any, recipe: Recipe, columns: Mapping[str, str] | None, on_rejected: str) -> Any:
    import pandas

    rows = map(normalize_row, data.astype(object).where(data.notna(), None).to_dict("records"))
    result = [*recipe.apply(rows, None if on_rejected == "fail" else lambda _: None)]
    if columns is None:
        return pandas.DataFrame(result, columns=[*detect_columns(result)])
    return pandas.DataFrame([[*convert_row(row, columns).values()] for row in result], columns=[*columns])
