"""Results of the catalog: the document, and its rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]
#: A cell of a table is a text, a number, a truth, a list of texts, or nothing.
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """A result. `document` is JSON, as described in docs/magic.md; iterating over the result yields its rows as dictionaries."""

    kind: str
    document: Document
    columns: tuple[str, ...] = ()
    rows: Sequence[Row] = field(default=(), repr=False)
    #: Why what was asked for did not come about, although there is something to tell of it.
    failure: str = ""

    def __iter__(self) -> Iterator[Document]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return True

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame, for `spark.createDataFrame` too. Raises ValueError if pandas is not installed."""
        try:
            import pandas  # type: ignore[import-untyped]
        except ImportError:
            msg = "pandas is not installed: pip install pandas"
            raise ValueError(msg) from None
        return pandas.DataFrame(list(self.rows), columns=list(self.columns))


def table(kind: str, document: Document, columns: str, rows: Sequence[Mapping[str, Any]]) -> Result:
    """An answer whose rows are members of these dictionaries; what one lacks is None."""
    names = tuple(columns.split())
    return Result(kind, document, names, [tuple(row.get(name) for name in names) for row in rows])
