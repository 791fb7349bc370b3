"""What SQLAlchemy reads and writes: every statement that an engine runs, also for its ORM and for pandas."""

import weakref
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.sql.connections import ConnectionDatabase, build_engine_database

#: A statement that inserts many rows is reported once.
_FUNCTION = "execute"


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
            find_database(connection.engine).record_statement(call, statement)

        adapter.record_event(_FUNCTION, report)

    def report_execute(call: LibraryCall) -> None:
        """Give the result of a statement its origin."""
        call.adopt_inner_reads(call.result)

    engine_class = module.engine.Engine
    module.event.listen(engine_class, "after_cursor_execute", report_statement)
    adapter.call_when_restored(lambda: module.event.remove(engine_class, "after_cursor_execute", report_statement))
    adapter.observe_method(module.engine.Connection, _FUNCTION, report_execute)
