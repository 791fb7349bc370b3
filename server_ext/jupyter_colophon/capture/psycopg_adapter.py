"""What programs read and write through psycopg 3."""

from functools import partial
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.sql.connections import ConnectionDatabase


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the statements of cursors."""
    for name in ("execute", "executemany"):
        adapter.observe_method(module.Cursor, name, _report_statement)
        adapter.replace_method(module.AsyncCursor, name, partial(_wrap_coroutine, adapter, name))


def _wrap_coroutine(adapter: Adapter, name: str, original: Function) -> Function:
    """Return a coroutine function that runs a statement and records it, whether it fails or not."""

    async def execute(*args: Any, **kwargs: Any) -> Any:
        call = LibraryCall(adapter.context, name, args, kwargs)
        try:
            call.result = await original(*args, **kwargs)
        except BaseException as error:
            call.error = error
            raise
        finally:
            adapter.record_call(call, _report_statement)
        return call.result

    return execute


def _report_statement(call: LibraryCall) -> None:
    """Record a statement whose text is known; one that is composed of parts is known by its connection."""
    cursor, query = call.receiver, call.get_argument(1, "query")
    text = query.decode() if isinstance(query, bytes) else query
    if not isinstance(text, str):
        text = query.as_string(cursor.connection)
    find_database(cursor.connection).record_statement(call, text, cursor)


def find_database(connection: Any) -> ConnectionDatabase:
    """Return the database of a connection. Temporary tables are not followed from statement to statement."""
    info = connection.info
    # A path is the folder of a socket of this machine.
    host = info.host if info.host and not info.host.startswith("/") else "localhost"
    return ConnectionDatabase(f"jdbc:postgresql://{host}:{info.port}/{info.dbname}", "postgresql")
