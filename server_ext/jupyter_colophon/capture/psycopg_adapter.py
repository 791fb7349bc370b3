"""What programs read and write through psycopg 3."""

import re
import threading
import weakref
from functools import partial
from types import ModuleType
from typing import Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall, Report
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.psycopg_copies import begin_copy, report_closed, report_opened
from jupyter_colophon.capture.sql.connections import ConnectionDatabase

#: Statements after which names may be those of other schemas.
_SCHEMAS: Final = re.compile(r"search_path|\b(reset|discard)\s+all\b|\brollback\b", re.IGNORECASE)


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the statements of cursors."""
    for name in ("execute", "executemany"):
        for cursor in (module.Cursor, module.ServerCursor):
            adapter.observe_method(cursor, name, _report_statement)
        for cursor in (module.AsyncCursor, module.AsyncServerCursor):
            adapter.replace_method(cursor, name, partial(_wrap_coroutine, adapter, name, _report_statement))
    adapter.observe_method(module.Cursor, "copy", _report_begun_copy)
    adapter.observe_method(module.AsyncCursor, "copy", _report_begun_copy)
    for name, report in (("enter", report_opened), ("exit", report_closed)):
        adapter.observe_method(module.Copy, f"__{name}__", report)
        adapter.replace_method(
            module.AsyncCopy, f"__a{name}__", partial(_wrap_coroutine, adapter, f"__a{name}__", report)
        )


def _wrap_coroutine(adapter: Adapter, name: str, report: Report, original: Function) -> Function:
    """Return a coroutine function that runs a statement and records it, whether it fails or not."""

    async def execute(*args: Any, **kwargs: Any) -> Any:
        call = LibraryCall(adapter.context, name, args, kwargs)
        try:
            call.result = await original(*args, **kwargs)
        except BaseException as error:
            call.error = error
            raise
        finally:
            adapter.record_call(call, report)
        return call.result

    return execute


def _report_statement(call: LibraryCall) -> None:
    """Record a statement whose text is known; one that is composed of parts is known by its connection."""
    cursor, text = call.receiver, _read_text(call, "query")
    if _SCHEMAS.search(text):
        _databases.pop(cursor.connection, None)
    find_database(cursor.connection).record_statement(call, text, cursor)


def _read_text(call: LibraryCall, argument: str) -> str:
    query = call.get_argument(1, argument)
    text = query.decode() if isinstance(query, bytes) else query
    return text if isinstance(text, str) else str(query.as_string(call.receiver.connection))


def _report_begun_copy(call: LibraryCall) -> None:
    """Remember the statement of a copy. Nothing was sent yet, so that the connection can be asked for its schema."""
    begin_copy(call.receiver, _read_text(call, "statement"), find_database(call.receiver.connection))


#: The databases of connections.
_databases: "weakref.WeakKeyDictionary[Any, ConnectionDatabase]" = weakref.WeakKeyDictionary()


def find_database(connection: Any) -> ConnectionDatabase:
    """Return the database of a connection."""
    if connection not in _databases:
        info = connection.info
        # A path is the folder of a socket of this machine.
        host = info.host if info.host and not info.host.startswith("/") else "localhost"
        url = f"jdbc:postgresql://{host}:{info.port}/{info.dbname}"
        _databases[connection] = ConnectionDatabase(url, "postgresql", _read_schema(connection))
    return _databases[connection]


def _read_schema(connection: Any) -> str | None:
    """Return the schema in which a connection creates tables; None if asking the server could disturb what the connection does."""
    waiting, info = connection.lock, connection.info
    # A connection of tasks has a lock of tasks.
    if not isinstance(waiting, type(threading.Lock())) or not waiting.acquire(blocking=False):
        return None
    try:
        if info.transaction_status.name not in ("IDLE", "INTRANS") or info.pipeline_status.name != "OFF":
            return None
        answer = connection.pgconn.exec_(b"SELECT current_schema()").get_value(0, 0)
        return None if answer is None else answer.decode()
    finally:
        waiting.release()
