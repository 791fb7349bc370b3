"""The result of a query: the document of the server, and the same data as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]
#: A cell is a string, a number, a boolean, a list of strings, or None.
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
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

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame (`spark.createDataFrame` accepts it). Raises ValueError without pandas."""
        try:
            import pandas  # type: ignore[import-untyped]
        except ImportError:
            msg = "pandas is not installed: pip install pandas"
            raise ValueError(msg) from None
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))


def table(kind: str, document: Document, columns: str, rows: Sequence[Mapping[str, Any]]) -> Result:
    """Create a result whose rows are taken from dictionaries; missing values are None."""
    names = tuple(columns.split())
    return Result(kind, document, names, [tuple(row.get(name) for name in names) for row in rows])
