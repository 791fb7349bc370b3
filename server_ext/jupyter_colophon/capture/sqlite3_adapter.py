"""What programs read and write through `sqlite3`.

Its classes cannot be changed, so connections are opened with subclasses of them; a program that passes a factory of its own keeps it.
"""

import functools
import sqlite3
from collections.abc import Callable
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.caller_frames import is_called_by_package
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


class _LibraryClass(type):
    """The class of classes that look like those of `sqlite3`, also in the errors of the interpreter, which name the module."""

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        """Return the name without the module."""
        return cls.__qualname__


class ObservedConnection(sqlite3.Connection, metaclass=_LibraryClass):
    """A connection that reports the statements of its cursors."""

    __slots__ = ("colophon_adapter", "colophon_database")
    colophon_database: ConnectionDatabase
    colophon_adapter: Adapter


class ObservedCursor(sqlite3.Cursor, metaclass=_LibraryClass):
    """A cursor that reports its statements."""

    __slots__ = ()


def _open_cursor(original: Function) -> Function:
    """Return a method that opens a cursor, by default one whose statements are reported."""

    def cursor(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return original(*args, **kwargs) if len(args) != 1 or kwargs else original(*args, ObservedCursor)

    return cursor


def _run_with_cursor(original: Function) -> Function:
    """Return a method of a connection that runs a statement with a new cursor and reports it."""
    open_cursor, run = sqlite3.Connection.cursor, getattr(sqlite3.Cursor, original.__name__)

    def execute(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        # The errors of other arguments are those of the connection.
        if kwargs or not 1 < len(args) < 4 or not isinstance(args[1], str):
            return original(*args, **kwargs)
        return _report(run(open_cursor(args[0], ObservedCursor), *args[1:]), args[1])

    return execute


def _run(original: Function) -> Function:
    """Return a method of a cursor that runs a statement and reports it."""

    def execute(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return _report(original(*args, **kwargs), args[1])

    return execute


def _report(cursor: Any, sql: Any) -> Any:
    """Report the statement that a cursor ran, and return the cursor."""
    connection = cursor.connection
    adapter = getattr(connection, "colophon_adapter", None)
    database = getattr(connection, "colophon_database", None)
    if adapter is not None and database is not None and isinstance(sql, str):
        adapter.record_event("execute", lambda call: database.record_statement(call, sql, cursor))
    return cursor


def _replace_method(own: type, name: str, wrap: Callable[[Function], Function]) -> None:
    """Define a method of a class by what `wrap` returns for that of `sqlite3`.

    Its code has the place of the library, so that tracebacks of errors show nothing else. IPython leaves it out of them.
    """
    original = own.__mro__[1]
    function = getattr(original, name)
    method: Any = functools.update_wrapper(wrap(function), function)
    method.__code__ = method.__code__.replace(co_filename=f"<{original.__module__}>", co_name=name, co_qualname=name)
    method.__qualname__ = f"{original.__name__}.{name}"
    setattr(own, name, method)


_replace_method(ObservedConnection, "cursor", _open_cursor)
for _name in ("execute", "executemany", "executescript"):
    _replace_method(ObservedConnection, _name, _run_with_cursor)
    _replace_method(ObservedCursor, _name, _run)
for _own, _original in ((ObservedConnection, sqlite3.Connection), (ObservedCursor, sqlite3.Cursor)):
    _own.__qualname__, _own.__module__, _own.__doc__ = _original.__qualname__, _original.__module__, _original.__doc__
    # What the interpreter calls an object of the class in the texts of errors.
    type.__dict__["__name__"].__set__(_own, f"{_original.__module__}.{_original.__qualname__}")
