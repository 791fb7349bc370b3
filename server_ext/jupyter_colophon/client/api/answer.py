"""The result of a query: the document of the server, and the same data as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun, format_rows_in_aligned_columns, truncate_text

Document = dict[str, Any]
#: A cell is a string, a number, a boolean, a list of strings, or None.
Row = tuple[Any, ...]
#: The rows and the characters of a cell that `repr` shows.
_ROWS_SHOWN, _CELL_WIDTH = 10, 40


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """A result. `document` is JSON (its shape is in docs/magic.md); iteration yields the rows as dictionaries."""

    kind: str
    document: Document
    columns: tuple[str, ...] = ()
    rows: Sequence[Row] = field(default=(), repr=False)
    #: Why the operation failed, if it failed with a result.
    failure: str = ""

    def __iter__(self) -> Iterator[Document]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        """Return the kind, the number of rows, and the first rows as a table."""
        failure = f", failed: {self.failure}" if self.failure else ""
        title = f"<Result of {self.kind}: {format_count_with_noun(len(self.rows), 'row')}{failure}>"
        if not self.rows:
            return title
        lines = format_rows_in_aligned_columns(
            [self.columns, *(tuple(map(_format_cell, row)) for row in self.rows[:_ROWS_SHOWN])]
        )
        left = len(self.rows) - _ROWS_SHOWN
        return "\n".join([title, *lines, *([f"{left} more"] if left > 0 else [])])

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame (`spark.createDataFrame` accepts it). Raises ValueError without pandas."""
        try:
            import pandas
        except ImportError:
            msg = "pandas is not installed: pip install pandas"
            raise ValueError(msg) from None
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))


def create_table_result(kind: str, document: Document, columns: str, rows: Sequence[Mapping[str, Any]]) -> Result:
    """Create a result whose rows are taken from dictionaries; missing values are None."""
    names = tuple(columns.split())
    return Result(kind, document, names, [tuple(row.get(name) for name in names) for row in rows])


def _format_cell(value: object) -> str:
    words = map(str, value) if isinstance(value, list | tuple) else () if value is None else (str(value),)
    return truncate_text(" ".join(", ".join(words).split()), _CELL_WIDTH)
