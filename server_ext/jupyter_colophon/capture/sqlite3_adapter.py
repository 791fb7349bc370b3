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
        def connect(*args: Any, **kwargs: Any) -> Any:
            # The factory is the sixth argument.
            if len(args) + ("database" in kwargs) > 0 and len(args) < 6 and not is_called_by_package():
                kwargs.setdefault("factory", ObservedConnection)
            connection = original(*args, **kwargs)
            if isinstance(connection, ObservedConnection):
                path = args[0] if args else kwargs["database"]
                connection.colophon_database = ConnectionDatabase(build_file_url("sqlite", path), "sqlite")
                connection.colophon_adapter = adapter
            return connection

        return connect

    adapter.replace_function(module, "connect", wrap_connect)


class ObservedConnection(sqlite3.Connection):
    """A connection that reports the statements of its cursors. It looks like one of `sqlite3`, and so do its errors."""

    __slots__ = ("colophon_adapter", "colophon_database")
    colophon_database: ConnectionDatabase
    colophon_adapter: Adapter

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        """Return a cursor, by default one whose statements are reported."""
        return super().cursor(*args, **kwargs) if args or kwargs else super().cursor(ObservedCursor)

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Run a statement with a new cursor."""
        return self.cursor().execute(*args) if _is_statement(args, kwargs) else super().execute(*args, **kwargs)

    def executemany(self, *args: Any, **kwargs: Any) -> Any:
        """Run a statement for many rows with a new cursor."""
        return self.cursor().executemany(*args) if _is_statement(args, kwargs) else super().executemany(*args, **kwargs)

    def executescript(self, *args: Any, **kwargs: Any) -> Any:
        """Run several statements with a new cursor."""
        if _is_statement(args, kwargs):
            return self.cursor().executescript(*args)
        return super().executescript(*args, **kwargs)


class ObservedCursor(sqlite3.Cursor):
    """A cursor that reports its statements."""

    __slots__ = ()

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        """Run a statement."""
        return self._report(super().execute(*args, **kwargs), args)

    def executemany(self, *args: Any, **kwargs: Any) -> Any:
        """Run a statement for many rows."""
        return self._report(super().executemany(*args, **kwargs), args)

    def executescript(self, *args: Any, **kwargs: Any) -> Any:
        """Run several statements."""
        return self._report(super().executescript(*args, **kwargs), args)

    def _report(self, result: Any, args: tuple[Any, ...]) -> Any:
        connection = self.connection
        adapter = getattr(connection, "colophon_adapter", None)
        database = getattr(connection, "colophon_database", None)
        if adapter is not None and database is not None and args and isinstance(args[0], str):

            def report(call: LibraryCall) -> None:
                database.record_statement(call, args[0], self)

            adapter.record_event("execute", report)
        return result


for _own, _original in ((ObservedConnection, sqlite3.Connection), (ObservedCursor, sqlite3.Cursor)):
    _own.__name__, _own.__qualname__ = _original.__name__, _original.__qualname__
    _own.__module__, _own.__doc__ = _original.__module__, _original.__doc__


def _is_statement(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether arguments are those of a statement; the errors of others are those of the connection."""
    return 0 < len(args) < 3 and not kwargs and isinstance(args[0], str)
