"""Maintain the schema: checks, rebuilt indexes, reclaimed space."""

from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.postgresql.connection import TimeLimitedConnection, translate_driver_errors_and_close_lost
from jupyter_colophon.storage.postgresql.execute import Execute

_TABLES = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
# `NOT IN` would read the second table once for each row, if it does not fit into the memory of a statement.
_WITHOUT = "NOT EXISTS (SELECT FROM {} AS other WHERE other.id = {}.id)"
_ALONE = {
    "search_entries": _WITHOUT.format("search_words", "search_entries"),
    "search_words": _WITHOUT.format("search_entries", "search_words"),
}
_AMCHECK = "SELECT n.nspname::text FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE extname = 'amcheck'"
_INDEXES = """SELECT c.relname::text, c.oid FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam
    WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"""
_SIZE = """SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class AS c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"""
_CLOCK_AND_CONNECTIONS = """SELECT extract(epoch FROM clock_timestamp())::float8,
    (SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::text || ' of '
        || current_setting('max_connections') || ' in use'"""
_REPAIRS = (
    *(f"DELETE FROM {table} WHERE {condition}" for table, condition in _ALONE.items()),
    """DELETE FROM lineage_nodes AS n WHERE NOT EXISTS (SELECT FROM lineage_edges AS e WHERE e.data = n.id)
        AND NOT EXISTS (SELECT FROM lineage_edges AS e WHERE e.program = n.id)
        AND NOT EXISTS (SELECT FROM lineage_runs AS r WHERE r.data = n.id)
        AND NOT EXISTS (SELECT FROM lineage_runs AS r WHERE r.program = n.id)""",
)


def find_store_problems(connection: TimeLimitedConnection) -> list[str]:
    """Return the problems of the store, one sentence each: orphaned rows, and damaged B-trees if the extension
    `amcheck` is installed.
    """
    problems = []
    for table, condition in _ALONE.items():
        with translate_driver_errors_and_close_lost(connection):
            row = connection.execute(f"SELECT COUNT(DISTINCT id) FROM {table} WHERE {condition}").fetchone()
        if row and row[0]:
            problems.append(f"{table}: {row[0]} rows without the row that they belong to")
    with translate_driver_errors_and_close_lost(connection):
        place = connection.execute(_AMCHECK).fetchone()
        indexes = connection.execute(_INDEXES).fetchall()
    if place is None:
        return problems
    for name, oid in indexes:
        try:
            with translate_driver_errors_and_close_lost(connection):
                connection.execute(f'SELECT "{place[0]}".bt_index_check({oid}::regclass)')
        except StorageError as error:
            problems.append(f"the index {name} is damaged: {error.detail}")
    return problems


def read_clock_and_connections(connection: TimeLimitedConnection) -> dict[str, str]:
    """Return the clock of the server in seconds since 1970, and how many of its connections are in use."""
    with translate_driver_errors_and_close_lost(connection):
        rows = connection.execute(_CLOCK_AND_CONNECTIONS).fetchall()
    return {name: str(value) for row in rows for name, value in zip(("clock", "connections"), row, strict=True)}


def rebuild_indexes_and_full_text(execute: Execute) -> None:
    """Rebuild indexes and full text in the open transaction."""
    for statement in _REPAIRS:
        execute(statement)
    for (table,) in list(execute(_TABLES)):
        execute(f'REINDEX TABLE "{table}"')


def rewrite_tables_and_return_freed_bytes(connection: TimeLimitedConnection) -> int:
    """Rewrite every table without its free pages; return the number of bytes freed."""
    before = measure_store_bytes(connection)
    with translate_driver_errors_and_close_lost(connection):
        for (table,) in connection.execute(_TABLES).fetchall():
            connection.execute(f'VACUUM FULL "{table}"')
    return max(0, before - measure_store_bytes(connection))


def measure_store_bytes(connection: TimeLimitedConnection) -> int:
    """Return the bytes of all tables with their indexes."""
    with translate_driver_errors_and_close_lost(connection):
        row = connection.execute(_SIZE).fetchone()
    return int(row[0]) if row else 0
