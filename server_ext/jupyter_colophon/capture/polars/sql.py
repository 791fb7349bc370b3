"""The queries of polars' own SQL, which name frames of a context, variables of the program, and files."""

import weakref
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.locations import list_locations
from jupyter_colophon.capture.origins import Dataset, Origin, Source

if TYPE_CHECKING:
    from sqlglot import exp

    from jupyter_colophon.capture.sql.tables import TableName

#: The dialect of sqlglot that is closest.
_DIALECT: Final = "duckdb"
#: Table functions that read files, with the format.
_READERS: Final = {"read_csv": "csv", "read_ipc": "arrow", "read_json": "json", "read_parquet": "parquet"}

#: The origins of the frames of each context, by name; None of a frame that the program made.
_contexts: "weakref.WeakKeyDictionary[Any, dict[str, Origin | None]]" = weakref.WeakKeyDictionary()


def observe_sql(module: ModuleType, adapter: Adapter) -> None:
    """Observe the contexts of SQL: all other functions use one."""
    context = module.SQLContext
    adapter.observe_method(context, "register", _report_registered)
    adapter.observe_method(context, "unregister", _report_unregistered)
    adapter.observe_method(context, "execute", _report_query)


def _report_registered(call: LibraryCall) -> None:
    if call.error is None:
        origin = call.find_origin(call.get_argument(2, "frame"))
        _contexts.setdefault(call.receiver, {})[call.get_argument(1, "name")] = origin


def _report_unregistered(call: LibraryCall) -> None:
    names = call.get_argument(1, "names")
    for name in [names] if isinstance(names, str) else names or ():
        _contexts.get(call.receiver, {}).pop(name, None)


def _report_query(call: LibraryCall) -> None:
    frames, query = _contexts.setdefault(call.receiver, {}), call.get_argument(1, "query")
    if isinstance(query, str):
        # Not needed by programs that only import polars.
        from jupyter_colophon.capture.sql.statements import SqlStatement, StatementFlows

        database = _ContextTables(dict(frames), frames)
        statement = SqlStatement(call, query, _DIALECT, database)
        call.record_statement(StatementFlows(call, statement), call.result)


class _ContextTables:
    """The tables of a context as one query sees them; tables that it creates are tables of the context."""

    def __init__(self, frames: Mapping[str, Origin | None], context: dict[str, Origin | None]) -> None:
        self._frames, self._context = frames, context

    def find_sources(self, table: "TableName") -> tuple[Source, ...] | None:
        """Return the data that a name stands for (`capture/sql/tables.py`)."""
        if table.function:
            format_ = _READERS.get(table.function)
            locations = list_locations(list(table.paths)) if format_ is not None else []
            return tuple(Dataset(location=location, format=format_) for location in locations)
        frames = self._frames if table.name in self._frames else self._context
        origin = frames.get(table.name)
        return () if origin is None else (origin,)

    def find_target(self, table: "TableName") -> Dataset | None:
        """Return None: tables of a context are values."""
        return None

    def put_local_table(self, table: "TableName", source: Source | None) -> None:
        """Remember what a table was made from; None: it was dropped."""
        if source is None:
            self._context.pop(table.name, None)
        elif isinstance(source, Origin):
            self._context[table.name] = source

    def run_command(self, tree: "exp.Expr") -> None:
        """Do nothing: no other statement changes what names stand for."""
