"""What the names in a SQL statement stand for: tables of a database, files, and variables of the program."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from jupyter_colophon.capture.origins import Dataset, Source

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class TableName:
    """A table as a statement names it; a qualifier that is not written is "".

    `function` is the name of a table function such as `read_parquet`, in lower case, `paths` its first arguments if they are texts,
    and `options` the names of its named arguments; `name` is "" then. `version` is that of the table that is asked for
    (`VERSION AS OF 3`), if it is a number.
    """

    catalog: str = ""
    schema: str = ""
    name: str = ""
    function: str = ""
    paths: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    version: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the written parts of the name, the widest first."""
        return tuple(part for part in (self.catalog, self.schema, self.name) if part)


class Database(Protocol):
    """Resolves the names of statements for one connection. Called in the order of the statements, on another thread than theirs."""

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for; empty for data that is not lineage, such as a literal; None if it is unknown."""

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table that is written; None for a table that ends with the connection, or an unknown one."""

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow a statement that moves no data but may change what names stand for, such as `USE` or `DROP`."""

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a table or view that ends with the connection was made from; None: it was dropped."""
