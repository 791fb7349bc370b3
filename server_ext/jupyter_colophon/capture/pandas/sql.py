"""Reports of the functions that read and write tables of databases.

What a query reads is recorded by the library that runs it; pandas names only the tables of `read_sql_table` and `to_sql`.
"""

import sys
from collections.abc import Iterator
from functools import partial
from types import GeneratorType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.computations import Function
from jupyter_colophon.capture.origins import Dataset, Origin, OriginRegistry
from jupyter_colophon.capture.pandas.readers import record_read_values
from jupyter_colophon.capture.pandas.writers import FileWriter, record_write

if TYPE_CHECKING:
    from jupyter_colophon.capture.sql.connections import ConnectionDatabase

_SQL: Final = FileWriter("name", "sql", has_index=True, unnamed="index")


def _report_query(call: LibraryCall) -> None:
    """Record that the result has what the inner calls read."""
    call.adopt_inner_reads(call.result)


def _follow_chunks(origins: OriginRegistry, original: Function) -> Function:
    """Return a function whose result, if it is one frame after the other, gives each the origin of all."""

    def read(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        origin = origins.find_origin(result) if isinstance(result, GeneratorType) else None
        return result if origin is None else follow(result, origin)

    def follow(chunks: Iterator[Any], origin: Origin) -> Iterator[Any]:
        for chunk in chunks:
            origins.set_origin(chunk, origin)
            yield chunk

    return read


def _report_table(call: LibraryCall) -> None:
    """Record the read of a table."""
    dataset = find_table(call.get_argument(1, "con"), call.get_argument(0, "table_name"), call.kwargs.get("schema"))
    if dataset is not None:
        record_read_values(call, [dataset], keeps_names=True)
    else:
        call.adopt_inner_reads(call.result)


def _report_write(call: LibraryCall) -> None:
    """Record the write of a table."""
    dataset = find_table(call.get_argument(2, "con"), call.get_argument(1, "name"), call.kwargs.get("schema"))
    if dataset is not None:
        record_write(call, dataset, _SQL.read_schema(call.receiver, call.kwargs))


def find_table(connection: Any, name: Any, schema: Any) -> Dataset | None:
    """Return the table of a connection, an engine or a URL; None if its database cannot be named with certainty."""
    # Not needed by programs that only import pandas.
    from jupyter_colophon.capture.sql.tables import TableName

    database = _find_database(connection)
    if database is None or not isinstance(name, str):
        return None
    return database.find_target(TableName(schema=schema or "", name=name))


def _find_database(connection: Any) -> "ConnectionDatabase | None":
    from jupyter_colophon.capture.sql.connections import ConnectionDatabase, build_engine_database

    known = getattr(connection, "colophon_database", None)
    if isinstance(known, ConnectionDatabase):
        return known
    dialect = None
    if isinstance(connection, str):
        make_url = getattr(sys.modules.get("sqlalchemy"), "make_url", None)
        url = None if make_url is None else make_url(connection)
    else:
        engine = getattr(connection, "engine", connection)
        url, dialect = getattr(engine, "url", None), getattr(engine, "dialect", None)
    return None if url is None else build_engine_database(url, dialect)


def observe_sql(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions and methods of pandas for databases."""
    for name, report in (
        ("read_sql", _report_query),
        ("read_sql_query", _report_query),
        ("read_sql_table", _report_table),
    ):
        adapter.observe_function(module, name, report)
        adapter.replace_function(module, name, partial(_follow_chunks, adapter.context.origins))
    for owner in dict.fromkeys((*module.DataFrame.__mro__[:-1], *module.Series.__mro__[:-1])):
        adapter.observe_method(owner, "to_sql", _report_write)
