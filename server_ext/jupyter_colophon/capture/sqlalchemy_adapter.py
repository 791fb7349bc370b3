"""What SQLAlchemy reads and writes: every statement that an engine runs, also for its ORM and for pandas."""

import weakref
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeAlias

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import DeferredFlows, Flow, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.origins import Query, Source
from jupyter_colophon.capture.sql.connections import ConnectionDatabase, build_engine_database
from jupyter_colophon.capture.sql.statements import SqlStatement, StatementFlows

_FindDatabase: TypeAlias = Callable[[Any], ConnectionDatabase]
#: A statement that inserts many rows is reported once.
_FUNCTION = "execute"


class _EngineStatement(DeferredFlows, Query):
    """A statement that an engine ran, whose database is looked up when its lineage is needed."""

    def __init__(self, call: LibraryCall, engine: Any, sql: str, find_database: _FindDatabase) -> None:
        """Create a statement that a call ran."""
        self.query, self.function = self, call.function
        self._call, self._sql, self._find_database = call, sql, find_database
        #: Not kept alive longer than necessary.
        self._engine: Any = engine
        self._statement: SqlStatement | None = None

    def _get_statement(self) -> SqlStatement:
        engine, statement = self._engine, self._statement
        if statement is None:
            statement = self._find_database(engine).create_statement(self._call, self._sql)
            self._statement, self._engine = statement, None
        return statement

    def list_flows(self) -> Iterable[Flow]:
        """Return what the statement reads and writes."""
        return StatementFlows(self._call, self._get_statement()).list_flows()

    def list_sources(self) -> tuple[Source, ...]:
        """Return the data that the result came from."""
        return self._get_statement().list_sources()

    def get_columns(self) -> ColumnMap | None:
        """Return the sources of the result's columns; None if they are unknown."""
        return self._get_statement().get_columns()


def install(module: ModuleType, adapter: Adapter) -> None:
    """Listen to the statements of all engines."""
    databases: weakref.WeakKeyDictionary[Any, ConnectionDatabase] = weakref.WeakKeyDictionary()

    def find_database(engine: Any) -> ConnectionDatabase:
        database = databases.get(engine)
        # The first statements are those by which the engine finds the schema.
        if database is None or database.schema != engine.dialect.default_schema_name:
            database = databases[engine] = build_engine_database(engine.url, engine.dialect)
        return database

    def report_statement(
        connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, executemany: Any
    ) -> None:
        def report(call: LibraryCall) -> None:
            call.record_statement(_EngineStatement(call, connection.engine, statement, find_database))

        adapter.record_event(_FUNCTION, report)

    def report_execute(call: LibraryCall) -> None:
        """Give the result of a statement its origin."""
        call.adopt_inner_reads(call.result)

    engine_class = module.engine.Engine
    module.event.listen(engine_class, "after_cursor_execute", report_statement)
    adapter.call_when_restored(lambda: module.event.remove(engine_class, "after_cursor_execute", report_statement))
    adapter.observe_method(module.engine.Connection, _FUNCTION, report_execute)
