"""A SQL statement as a source of lineage: it is parsed when its lineage is needed, never within the call that runs it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.calls import DeferredFlows, Flow, LibraryCall
from jupyter_colophon.capture.column_map import UNKNOWN_SOURCES, ColumnMap
from jupyter_colophon.capture.observation import MissingDetail
from jupyter_colophon.capture.origins import Dataset, Query, Source
from jupyter_colophon.capture.sql.tables import Database, TableName

if TYPE_CHECKING:
    from sqlglot import exp

#: Longer statements are not parsed: they are data rather than a query.
MAX_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class SqlFlow:
    """What one statement of a text reads, and the dataset that it writes, if any; `names` are the columns that it writes."""

    sources: tuple[Source, ...]
    target: Dataset | None
    columns: ColumnMap | None
    names: tuple[str, ...] = ()


class StatementFlows(DeferredFlows):
    """The flows of a statement that a call ran; `error` is the class of the exception of a failed call."""

    def __init__(self, call: LibraryCall, statement: "SqlStatement") -> None:
        """Create the flows of a statement."""
        self.query, self.function = statement, call.function
        self._statement = statement
        self._execution, self._time_ms = call.execution, call.time_ms
        self._error = "" if call.error is None else type(call.error).__name__

    def list_flows(self) -> Iterator[Flow]:
        """Yield what the statement reads and writes, or that it cannot be parsed."""
        for flow in self._statement.flows:
            yield self._build_flow(flow)
        if not self._statement.is_parsed:
            yield Flow(self._execution, self._time_ms, self.function, (), missing=(MissingDetail.SOURCE,))

    def _build_flow(self, flow: SqlFlow) -> Flow:
        return Flow(
            execution=self._execution,
            time_ms=self._time_ms,
            function=self.function,
            sources=flow.sources,
            target=flow.target,
            columns=_mark_unnamed(flow.columns),
            error=self._error,
            names=flow.names,
        )


def _mark_unnamed(columns: ColumnMap | None) -> ColumnMap | None:
    """Return the columns of a statement, marked as incomplete if it moves columns whose names are not in its text."""
    return columns if columns is None or columns.whole is None else columns.add_controls(UNKNOWN_SOURCES)


class SqlStatement(Query):
    """A text of one or more SQL statements; as a source it is the result of the last one."""

    def __init__(
        self,
        call: LibraryCall,
        sql: str,
        dialect: str,
        database: Database,
        parameters: Any = (),
        existing: Collection[str] = (),
    ) -> None:
        """Create a statement that a call ran; `dialect` is one of sqlglot, and `database` resolves the names of tables.

        Of the parameters, only texts that name files are used. `existing` are tables, in lower case, that were there already, so
        that `CREATE TABLE IF NOT EXISTS` did nothing.
        """
        self._existing = existing
        self._sql, self._dialect, self._database = sql, dialect, database
        self._execution, self._time_ms = call.execution, call.time_ms
        self._has_failed, self._parameters = call.error is not None, _list_texts_by_name(parameters)
        self.is_parsed = True

    @cached_property
    def flows(self) -> tuple[SqlFlow, ...]:
        """Return what each statement of the text reads and writes; empty if the text cannot be parsed."""
        if len(self._sql) > MAX_CHARS:
            self.is_parsed = False
            return ()
        try:
            # Takes up to a second to import, so it happens on the thread that reports lineage.
            from jupyter_colophon.capture.sql.reading import StatementReader
            from jupyter_colophon.capture.sql.trees import parse_statements
        except ImportError:
            # The extra `capture` is not installed.
            self.is_parsed = False
            return ()
        try:
            trees = parse_statements(self._sql, self._dialect, self._parameters)
        except ValueError:
            self.is_parsed = False
            return ()
        reader = StatementReader(self._database, self._execution, self._time_ms, has_failed=self._has_failed)
        return tuple(flow for tree in trees if not self._is_skipped(tree) for flow in reader.read_statement(tree))

    def _is_skipped(self, tree: "exp.Expr") -> bool:
        """Return whether a statement creates a table only if there is none, and there was one."""
        from sqlglot import exp

        if not isinstance(tree, exp.Create) or not tree.args.get("exists"):
            return False
        table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        return isinstance(table, exp.Table) and ".".join(parse_table_name(table).parts).lower() in self._existing

    def list_sources(self) -> tuple[Source, ...]:
        """Return the data that the result came from."""
        return self.flows[-1].sources if self.flows and self.flows[-1].target is None else ()

    def get_columns(self) -> ColumnMap | None:
        """Return the sources of the result's columns; None if they are unknown."""
        return self.flows[-1].columns if self.flows else None


def _list_texts_by_name(parameters: Any) -> dict[str, str]:
    """Return the texts among the parameters of a statement by name, or by number from 1."""
    if parameters is None:
        return {}
    items: Iterable[tuple[Any, Any]] = parameters.items() if isinstance(parameters, Mapping) else ()
    if isinstance(parameters, list | tuple):
        items = enumerate(parameters, 1)
    return {str(name): value for name, value in items if isinstance(value, str)}


def parse_table_name(table: "exp.Table") -> TableName:
    """Return the name of a table expression."""
    from sqlglot import exp

    if isinstance(table.this, exp.Func):
        texts = (each.name for argument in table.this.args.values() for each in _list_texts(argument))
        function = table.this.name if isinstance(table.this, exp.Anonymous) else table.this.sql_name()
        options = (
            each.this.name.lower() for each in table.this.expressions if isinstance(each, exp.EQ | exp.PropertyEQ)
        )
        return TableName(function=function.lower(), paths=tuple(texts), options=frozenset(options))
    return TableName(table.catalog, table.db, table.name, version=_get_version(table))


def _get_version(table: "exp.Table") -> str:
    version = table.args.get("version")
    if version is None or version.name != "VERSION":
        return ""
    number: str = version.text("expression")
    return number if number.isdecimal() else ""


def list_dropped_names(tree: "exp.Drop") -> list[TableName]:
    """Return the names of what a statement drops: tables, views or a database."""
    from sqlglot import exp

    # sqlglot moved them from `this`, where there is one, to a list.
    dropped = tree.args.get("tables") or [tree.this]
    return [parse_table_name(each) for each in dropped if isinstance(each, exp.Table)]


def _list_texts(argument: object) -> "list[exp.Literal]":
    from sqlglot import exp

    first = argument[0] if isinstance(argument, list) and argument else argument
    items = first.expressions if isinstance(first, exp.Array) else [first]
    return [item for item in items if isinstance(item, exp.Literal) and item.is_string]
