"""What programs read and write through `sqlite3`.

Its classes cannot be changed, so connections are opened with subclasses of them; a program that passes a factory of its own keeps it.
"""

import sqlite3
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.caller_frames import is_called_by_package
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.sql.connections import ConnectionDatabase, build_file_url


def install(module: ModuleType, adapter: Adapter) -> None:
    """Open connections whose statements are observed."""

    def wrap_connect(original: Function) -> Function:
        def connect(database: Any, *args: Any, **kwargs: Any) -> Any:
            # The factory is the sixth argument.
            if len(args) < 5 and not is_called_by_package():
                kwargs.setdefault("factory", ObservedConnection)
            connection = original(database, *args, **kwargs)
            if isinstance(connection, ObservedConnection):
                connection.colophon_database = ConnectionDatabase(build_file_url("sqlite", database), "sqlite")
                connection.colophon_adapter = adapter
            return connection

        return connect

    adapter.replace_function(module, "connect", wrap_connect)


class ObservedConnection(sqlite3.Connection):
    """A connection that reports the statements of its cursors."""

    colophon_database: ConnectionDatabase | None = None
    colophon_adapter: Adapter | None = None

    def cursor(self, factory: Any = None) -> Any:
        """Return a cursor, by default one whose statements are reported."""
        return super().cursor(ObservedCursor if factory is None else factory)

    def execute(self, *args: Any) -> Any:
        """Run a statement with a new cursor."""
        return self.cursor().execute(*args)

    def executemany(self, *args: Any) -> Any:
        """Run a statement for many rows with a new cursor."""
        return self.cursor().executemany(*args)

    def executescript(self, *args: Any) -> Any:
        """Run several statements with a new cursor."""
        return self.cursor().executescript(*args)


class ObservedCursor(sqlite3.Cursor):
    """A cursor that reports its statements."""

    def execute(self, *args: Any) -> Any:
        """Run a statement."""
        return self._report(super().execute(*args), args)

    def executemany(self, *args: Any) -> Any:
        """Run a statement for many rows."""
        return self._report(super().executemany(*args), args)

    def executescript(self, *args: Any) -> Any:
        """Run several statements."""
        return self._report(super().executescript(*args), args)

    def _report(self, result: Any, args: tuple[Any, ...]) -> Any:
        connection = self.connection
        adapter = getattr(connection, "colophon_adapter", None)
        database = getattr(connection, "colophon_database", None)
        if adapter is not None and database is not None and args and isinstance(args[0], str):

            def report(call: LibraryCall) -> None:
                database.record_statement(call, args[0], self)

            adapter.record_event("execute", report)
        return result
