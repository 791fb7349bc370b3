"""`COPY … FROM STDIN` and `COPY … TO STDOUT` of psycopg 3: rows that pass through the program.

A copy is a context manager that the method `copy` of a cursor returns. Rows that it reads come from a query; those that it
writes come from the program.
"""

import re
import weakref
from typing import Any, Final

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.sql.connections import ConnectionDatabase

_COPY: Final = re.compile(r"\s*copy\s+(?P<data>.+?)\s+(?P<way>from\s+stdin|to\s+stdout)\b", re.IGNORECASE | re.DOTALL)
_TABLE: Final = re.compile(r"(?P<table>[^(]+?)\s*(?:\((?P<columns>.*)\))?", re.DOTALL)

#: The statement of the copy that each cursor began last, with the database.
_begun: "weakref.WeakKeyDictionary[Any, tuple[str, ConnectionDatabase]]" = weakref.WeakKeyDictionary()


def begin_copy(cursor: Any, text: str, database: ConnectionDatabase) -> None:
    """Remember the statement of a copy that a cursor begins."""
    _begun[cursor] = (text, database)


def report_opened(call: LibraryCall) -> None:
    """Record what a copy reads, of which the copy has the rows."""
    text, database = _begun.get(call.receiver.cursor, ("", None))
    query = convert_read(text)
    if query is not None and database is not None:
        database.record_statement(call, query, call.receiver)


def report_closed(call: LibraryCall) -> None:
    """Record what a copy wrote; of one that an exception ended, what it would have written."""
    text, database = _begun.get(call.receiver.cursor, ("", None))
    insert = convert_write(text)
    if insert is not None and database is not None:
        call.error = call.error or call.get_argument(2, "exc_val")
        database.record_statement(call, insert)


def convert_read(text: str) -> str | None:
    """Return the query whose rows `COPY … TO STDOUT` returns; None for another statement."""
    match = _COPY.match(text)
    if match is None or match["way"].lower().startswith("from"):
        return None
    if match["data"].startswith("("):
        return match["data"][1:].rpartition(")")[0]
    named = _TABLE.fullmatch(match["data"])
    return None if named is None else f"SELECT {named['columns'] or '*'} FROM {named['table']}"  # noqa: S608  it is parsed, not run


def convert_write(text: str) -> str | None:
    """Return the statement that writes where `COPY … FROM STDIN` does, without its rows; None for another statement."""
    match = _COPY.match(text)
    if match is None or match["way"].lower().startswith("to"):
        return None
    return f"INSERT INTO {match['data']} VALUES (NULL)"  # noqa: S608  it is parsed, not run
