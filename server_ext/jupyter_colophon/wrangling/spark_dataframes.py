"""Apply a recipe to a DataFrame of Spark, and count or return the rows that a directive cannot process."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final

from jupyter_colophon.wrangling.directive import Directive, Row
from jupyter_colophon.wrangling.normalization import normalize_row
from jupyter_colophon.wrangling.recipe import Recipe, RejectedRow, parse_recipe
from jupyter_colophon.wrangling.result_columns import convert_row, detect_columns

#: The types of columns in Spark.
_SPARK_TYPES: Final = {
    "string": "STRING",
    "integer": "BIGINT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
}
#: The columns of rejected rows with their types. `row` is JSON: the values before the directive.
REJECTED_COLUMNS: Final = {"line": "integer", "directive": "string", "reason": "string", "row": "string"}
_COUNT: Final = "colophon_rejected"
#: How many rows determine the columns of the result, unless they are given; and how many a batch of the result has.
_SAMPLED, _BATCH = 1_000, 1_000
#: Returns the output for rows that are processed together.
_Process = Callable[[Recipe, Iterable[Row]], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class RecipeText:
    """A recipe that each process parses itself, with directives of artifacts by their names."""

    text: str
    directives: Mapping[str, type[Directive]]

    def parse(self) -> Recipe:
        """Return the recipe. Raises RecipeError."""
        return parse_recipe(self.text, self.directives)


def apply_recipe_to_spark(data: Any, recipe: RecipeText, columns: Mapping[str, str] | None, on_rejected: str) -> Any:
    """Return the result of a recipe (see `apply_recipe_to_dataframe`). Raises RecipeError."""
    process = _fail_on_rejected_row if on_rejected == "fail" else _skip_rejected_rows
    return _map_rows(data, recipe, columns or _detect_columns(data, recipe), process)


def apply_recipe_and_count_rejected_rows(
    data: Any, recipe: RecipeText, columns: Mapping[str, str] | None
) -> tuple[Any, str]:
    """Return the result without rejected rows, with one more column, and the name of that column.

    It is null, except in additional rows with a number of rejected rows. Raises RecipeError.
    """
    known = columns or _detect_columns(data, recipe)
    count = _COUNT
    while count in {name.lower() for name in known}:
        count += "_"
    return _map_rows(data, recipe, {**known, count: "integer"}, _RejectedRowCounter(count)), count


def select_rejected_rows(data: Any, recipe: RecipeText) -> Any:
    """Return the rows that a directive cannot process, with the columns REJECTED_COLUMNS. Raises RecipeError."""
    return _map_rows(data, recipe, REJECTED_COLUMNS, _describe_rejected_rows)


def _detect_columns(data: Any, recipe: RecipeText) -> dict[str, str]:
    """Return the types of the columns that the recipe makes of the first rows."""
    sampled = (normalize_row(row.asDict(recursive=True)) for row in data.limit(_SAMPLED).collect())
    return detect_columns([*_skip_rejected_rows(recipe.parse(), sampled)])


def _fail_on_rejected_row(recipe: Recipe, rows: Iterable[Row]) -> Iterator[Row]:
    return recipe.apply(rows, check_columns=False)


def _skip_rejected_rows(recipe: Recipe, rows: Iterable[Row]) -> Iterator[Row]:
    return recipe.apply(rows, lambda _: None, check_columns=False)


def _describe_rejected_rows(recipe: Recipe, rows: Iterable[Row]) -> Iterator[Row]:
    rejected: list[RejectedRow] = []
    deque(recipe.apply(rows, rejected.append, check_columns=False), maxlen=0)
    return ({name: getattr(row, name) for name in REJECTED_COLUMNS} for row in rejected)


@dataclass(frozen=True, slots=True)
class _RejectedRowCounter:
    """Adds a row with the number of rejected rows in a column."""

    column: str

    def __call__(self, recipe: Recipe, rows: Iterable[Row]) -> Iterator[Row]:
        count = 0

        def reject(_: RejectedRow) -> None:
            nonlocal count
            count += 1

        for row in recipe.apply(rows, reject, check_columns=False):
            row[self.column] = None
            yield row
        if count:
            yield {self.column: count}


def _map_rows(data: Any, recipe: RecipeText, columns: Mapping[str, str], process: _Process) -> Any:
    types, needs_all_rows = dict(columns), recipe.parse().needs_all_rows

    def convert_batches(batches: Iterator[Any]) -> Iterator[Any]:
        """Run for each partition, in Spark's workers."""
        import pyarrow

        parsed = recipe.parse()
        schema = pyarrow.schema([(name, _get_arrow_type(type_)) for name, type_ in types.items()])
        inputs = (map(normalize_row, batch.to_pylist()) for batch in batches)
        # Other recipes are applied to each batch, so that the rejected rows of few rows are in memory.
        together = iter([chain.from_iterable(inputs)]) if needs_all_rows else inputs
        rows = (convert_row(row, types) for each in together for row in process(parsed, each))
        while batch := [*islice(rows, _BATCH)]:
            yield pyarrow.RecordBatch.from_pylist(batch, schema)

    ddl = ", ".join(f"`{name.replace('`', '``')}` {_SPARK_TYPES.get(type_, 'STRING')}" for name, type_ in types.items())
    return (data.coalesce(1) if needs_all_rows else data).mapInArrow(convert_batches, ddl)


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
