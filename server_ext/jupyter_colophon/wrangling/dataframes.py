"""Apply a recipe to a DataFrame of pandas or Spark."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from jupyter_colophon.wrangling.column_types import combine_types, convert_to_type, get_type
from jupyter_colophon.wrangling.directive import Directive, get_text
from jupyter_colophon.wrangling.normalization import format_json_value, normalize_value
from jupyter_colophon.wrangling.recipe import NO_PLUGINS, Recipe, parse_recipe

#: The types of columns in Spark.
_SPARK_TYPES: Final = {
    "string": "STRING",
    "integer": "BIGINT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
}
#: How many rows determine the columns of the result, unless they are given.
_SAMPLED: Final = 1_000


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
    parsed = parse_recipe(recipe, directives)
    if not hasattr(data, "mapInArrow"):
        return _apply_to_pandas(data, parsed, columns, on_rejected)
    if columns is None:
        sampled = (row.asDict(recursive=True) for row in data.limit(_SAMPLED).collect())
        columns = detect_columns([*_apply(parsed, sampled, "skip")])
    if parsed.needs_all_rows:
        data = data.coalesce(1)
    schema = ", ".join(
        f"`{name.replace('`', '``')}` {_SPARK_TYPES.get(type_, 'STRING')}" for name, type_ in columns.items()
    )
    return data.mapInArrow(_create_batch_function(recipe, dict(columns), on_rejected, directives), schema)


def detect_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the types of the columns of rows, in the order in which they first appear."""
    types: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            types.setdefault(name, set()).add(get_type(value))
    return {name: combine_types(found) for name, found in types.items()}


def _apply_to_pandas(data: Any, recipe: Recipe, columns: Mapping[str, str] | None, on_rejected: str) -> Any:
    import pandas  # type: ignore[import-untyped]

    rows = data.astype(object).where(data.notna(), None).to_dict("records")
    result = [*_apply(recipe, rows, on_rejected, check_columns=True)]
    if columns is None:
        return pandas.DataFrame(result, columns=[*detect_columns(result)])
    converted = [[convert_cell(row.get(name), type_) for name, type_ in columns.items()] for row in result]
    return pandas.DataFrame(converted, columns=[*columns])


def _apply(
    recipe: Recipe, rows: Iterable[Mapping[str, Any]], on_rejected: str, *, check_columns: bool = False
) -> Iterator[dict[str, Any]]:
    normalized = ({str(name): normalize_value(value) for name, value in row.items()} for row in rows)
    reject = None if on_rejected == "fail" else lambda _: None
    return recipe.apply(normalized, reject, check_columns=check_columns)


def _create_batch_function(
    recipe: str, columns: dict[str, str], on_rejected: str, directives: Mapping[str, type[Directive]]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return the function that Spark's workers run for each partition."""

    def convert_batches(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        schema = pyarrow.schema([(name, _get_arrow_type(type_)) for name, type_ in columns.items()])
        rows = (row for batch in batches for row in batch.to_pylist())
        pending: list[dict[str, Any]] = []
        for row in _apply(parse_recipe(recipe, directives), rows, on_rejected):
            pending.append({name: convert_cell(row.get(name), type_) for name, type_ in columns.items()})
            if len(pending) == _SAMPLED:
                yield pyarrow.RecordBatch.from_pylist(pending, schema)
                pending = []
        yield pyarrow.RecordBatch.from_pylist(pending, schema)

    return convert_batches


def _get_arrow_type(type_: str) -> Any:
    import pyarrow

    types = {
        "integer": pyarrow.int64(),
        "double": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
    }
    return types.get(type_, pyarrow.string())


def convert_cell(value: Any, type_: str) -> Any:
    """Return a value of a result as the type of its column; lists and mappings as JSON. Raises ValueError."""
    if value is None:
        return None
    if isinstance(value, (list, dict)):
        return json.dumps(format_json_value(value), ensure_ascii=False)
    return convert_to_type(value, type_) if type_ in _SPARK_TYPES else get_text(value)
