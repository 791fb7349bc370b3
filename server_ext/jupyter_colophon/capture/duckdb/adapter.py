"""What DuckDB reads, computes and writes, by the SQL of its connections and relations."""

import inspect
import re
import sys
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import FrameType, ModuleType
from typing import Any, Final, TypeAlias, Unpack

from jupyter_colophon.capture.adapters import Adapter, CallOptions
from jupyter_colophon.capture.caller_frames import call_without_variables
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.duckdb.database import MEMORY, DatabaseView, DuckDatabase
from jupyter_colophon.capture.named_files import find_file, list_files
from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.capture.origins import Origin
from jupyter_colophon.capture.sql.statements import SqlStatement, StatementFlows

#: Columns that both relations of a join have.
_NAMES: Final = re.compile(r"[A-Za-z_]\w*(\s*,\s*[A-Za-z_]\w*)*")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_IF_NOT_EXISTS: Final = re.compile(r'\bIF\s+NOT\s+EXISTS\s+((?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+)){0,2})', re.IGNORECASE)
#: The attributes of values that DuckDB can read as a table.
_ROWS: Final = ("__arrow_c_stream__", "__array__", "collect_schema", "to_arrow_table")
#: The name of a relation in the SQL that stands for its methods.
_THIS: Final = "colophon_relation"
_OTHER: Final = "colophon_other"

#: The SQL that stands for methods; it is parsed and never run.
_SELECT: Final = "SELECT * FROM {0}"
_FILTER: Final = "SELECT * FROM {0} WHERE {1}"
_PROJECT: Final = "SELECT {1} FROM {0}"
_AGGREGATE: Final = "SELECT {1} FROM {0} GROUP BY {2}"
_UNION: Final = "SELECT * FROM {0} UNION ALL SELECT * FROM {1}"
_CROSS: Final = "SELECT * FROM {0}, {1}"
_JOIN: Final = "SELECT * FROM {0} {3} JOIN {1} ON {2}"
_JOIN_USING: Final = "SELECT * FROM {0} {3} JOIN {1} USING ({2})"
_APPEND: Final = "INSERT INTO {0} {1} SELECT * FROM {2}"
_ORDER: Final = "SELECT * FROM {0} ORDER BY {1}"
#: What stands for a value of the program whose origin is unknown.
_NOTHING: Final = "(SELECT NULL)"

#: Gets a call, the database of its connection, and the position of its first argument.
_ConnectionReport: TypeAlias = Callable[[LibraryCall, DuckDatabase, int], None]

_RUNNERS: Final = ("sql", "query", "from_query", "execute", "executemany")
_FILE_READERS: Final = {
    "read_csv": "csv",
    "from_csv_auto": "csv",
    "read_parquet": "parquet",
    "from_parquet": "parquet",
    "read_json": "json",
}
_VALUE_READERS: Final = ("from_df", "from_arrow")
#: Methods that give the rows of a relation or of the last statement as another value.
_FETCHERS: Final = (
    *("df", "fetchdf", "fetch_df", "to_df", "fetch_df_chunk", "arrow", "to_arrow_table", "fetch_arrow_table", "pl"),
    *("fetchnumpy", "torch", "tf", "to_dicts", "fetchall", "fetchmany", "fetchone", "fetch_record_batch"),
    *("fetch_arrow_reader", "to_arrow_reader"),
)
#: Methods of a relation that keep its columns.
_KEEPING: Final = (
    *("limit", "distinct", "unique", "sample", "head", "offset", "set_alias", "alias", "materialize", "except_"),
    "intersect",
)
_WRITERS: Final = {"write_csv": "csv", "to_csv": "csv", "write_parquet": "parquet", "to_parquet": "parquet"}
_TABLE_WRITERS: Final = {
    "create": "CREATE TABLE {0} AS SELECT * FROM {1}",
    "to_table": "CREATE TABLE {0} AS SELECT * FROM {1}",
    "create_view": "CREATE VIEW {0} AS SELECT * FROM {1}",
    "to_view": "CREATE VIEW {0} AS SELECT * FROM {1}",
    "insert_into": "INSERT INTO {0} SELECT * FROM {1}",
}


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe connections and relations of DuckDB, and the functions that use its default connection."""
    _Adapter(module, adapter).install()


@dataclass(frozen=True, slots=True)
class _Names:
    """What names of a statement stood for when it began to run.

    `values` are those of the program that DuckDB reads, None if their origin is unknown; `existing` are tables, in lower case,
    that the statement creates unless they exist.
    """

    values: Mapping[str, Origin | None] = field(default_factory=dict)
    existing: Collection[str] = ()


class _Adapter:
    """The databases of this process, and the reports of DuckDB's functions."""

    def __init__(self, module: ModuleType, adapter: Adapter) -> None:
        self._module, self._adapter = module, adapter
        self._default = DuckDatabase(MEMORY)
        self._databases: weakref.WeakKeyDictionary[Any, DuckDatabase] = weakref.WeakKeyDictionary()
        #: The method as it is without capture.
        self._query: Callable[..., Any] = module.DuckDBPyConnection.sql

    def install(self) -> None:
        module, adapter = self._module, self._adapter
        connection, relation = module.DuckDBPyConnection, module.DuckDBPyRelation
        adapter.observe_function(module, "connect", self._report_connect)
        adapter.observe_method(connection, "cursor", self._report_cursor)
        adapter.observe_method(connection, "duplicate", self._report_cursor)
        for name in _RUNNERS:
            self._observe(name, self._report_run, sees_caller=True, prepare=self._prepare_run)
        for name in _FILE_READERS:
            self._observe(name, _report_files)
        for name in _VALUE_READERS:
            self._observe(name, _report_value)
        for name in ("table", "view"):
            self._observe(name, self._report_table)
        self._observe("append", self._report_append)
        self._observe("register", _report_registered)
        self._observe("unregister", _report_unregistered)
        for owner in (connection, relation):
            for name in _FETCHERS:
                adapter.observe_method(owner, name, _report_same_columns)
        self._install_relation(relation)

    def _observe(self, name: str, report: _ConnectionReport, **options: Unpack[CallOptions]) -> None:
        """Observe a method of connections, and the function of the same name, which uses the default connection by default."""

        def report_method(call: LibraryCall) -> None:
            report(call, self._get_database(call.receiver), 1)

        def report_function(call: LibraryCall) -> None:
            connection = call.kwargs.get("connection")
            report(call, self._default if connection is None else self._get_database(connection), 0)

        self._adapter.observe_method(self._module.DuckDBPyConnection, name, report_method, **options)
        self._adapter.observe_function(self._module, name, report_function, **options)

    def _install_relation(self, relation: type) -> None:
        adapter = self._adapter
        # DuckDB itself gives the relation of each query an alias.
        for name in _KEEPING:
            adapter.observe_method(relation, name, _report_same_columns, skips_inner=True)
        for name in _WRITERS:
            adapter.observe_method(relation, name, _report_written_file, prepare=_read_fields)
        for name in _TABLE_WRITERS:
            adapter.observe_method(relation, name, self._report_written_table)
        adapter.observe_method(relation, "filter", self._report_filter)
        for name in ("project", "select"):
            adapter.observe_method(relation, name, self._report_project)
        adapter.observe_method(relation, "aggregate", self._report_aggregate)
        for name in ("order", "sort"):
            adapter.observe_method(relation, name, self._report_order)
        for name in ("cross", "union", "union_by_name"):
            adapter.observe_method(relation, name, self._report_pair)
        adapter.observe_method(relation, "join", self._report_join)
        adapter.observe_method(relation, "query", self._report_relation_query)
        for name in ("pivot", "unpivot", "with_columns", "rename", "value_counts", "map", "apply", "group_by"):
            adapter.observe_method(relation, name, _report_unknown_columns)

    def _get_database(self, connection: Any) -> DuckDatabase:
        return self._databases.get(connection, self._default)

    def _report_connect(self, call: LibraryCall) -> None:
        path = str(call.get_argument(0, "database", MEMORY))
        if call.result is not None:
            self._databases[call.result] = self._default if path == ":default:" else DuckDatabase(path)

    def _report_cursor(self, call: LibraryCall) -> None:
        if call.result is not None:
            self._databases[call.result] = self._get_database(call.receiver)

    def _prepare_run(self, *args: Any, **kwargs: Any) -> "_Names | None":
        """Return what names of a statement stand for, which only DuckDB knows, before the statement changes it."""
        is_method = bool(args) and isinstance(args[0], self._module.DuckDBPyConnection)
        connection = args[0] if is_method else kwargs.get("connection")
        sql = _get_text(next(iter(args[is_method:]), kwargs.get("query")))
        has_files = (self._default if connection is None else self._get_database(connection)).has_files
        variables = _find_variables(sql) if has_files or len(self._adapter.context.origins) else {}
        created = set(_IF_NOT_EXISTS.findall(sql))
        if not variables and not created:
            return None
        connection = self._module.default_connection() if connection is None else connection
        find_origin = self._adapter.context.origins.find_origin
        return _Names(
            {
                name: find_origin(value)
                for name, value in variables.items()
                if not self._has_table(connection, f'"{name}"')
            },
            {name.replace('"', "").lower() for name in created if self._has_table(connection, name)},
        )

    def _has_table(self, connection: Any, name: str) -> bool:
        """Return whether a connection has a table or a view; a query that is not run leaves its results and transactions as they are."""
        try:
            call_without_variables(self._query, connection, f"FROM {name}")
        except self._module.CatalogException:
            return False
        return True

    def _report_run(self, call: LibraryCall, database: DuckDatabase, first: int) -> None:
        parameters = call.find_argument(first + 1, ("parameters", "params"))
        self._run(call, database, _get_text(call.get_argument(first, "query")), parameters)

    def _report_table(self, call: LibraryCall, database: DuckDatabase, first: int) -> None:
        self._run(call, database, _SELECT.format(call.get_argument(first, "table_name")))

    def _run(self, call: LibraryCall, database: DuckDatabase, sql: str, parameters: Any = ()) -> None:
        names = call.state or _Names()
        if sql:
            self._record(call, database, sql, names.values, parameters, names.existing)

    def _record(
        self,
        call: LibraryCall,
        database: DuckDatabase,
        sql: str,
        values: Mapping[str, Origin | None],
        parameters: Any = (),
        existing: Collection[str] = (),
    ) -> None:
        """Record a statement, whose result, a relation, belongs to the same databases."""
        statement = SqlStatement(call, sql, "duckdb", DatabaseView(database, values), parameters, existing)
        call.record_statement(StatementFlows(call, statement), call.result)
        if isinstance(call.result, self._module.DuckDBPyRelation):
            self._databases[call.result] = database

    def _report_filter(self, call: LibraryCall) -> None:
        self._run_on_relation(call, _FILTER.format(_THIS, call.get_argument(1, "filter_expr")))

    def _report_project(self, call: LibraryCall) -> None:
        self._run_on_relation(call, _PROJECT.format(_THIS, ", ".join(map(str, call.args[1:])) or "*"))

    def _report_aggregate(self, call: LibraryCall) -> None:
        expressions, groups = call.get_argument(1, "aggr_expr"), call.get_argument(2, "group_expr", "")
        selected = ", ".join(map(str, expressions)) if isinstance(expressions, list | tuple) else str(expressions)
        self._run_on_relation(call, _AGGREGATE.format(_THIS, selected, groups or "ALL"))

    def _report_order(self, call: LibraryCall) -> None:
        self._run_on_relation(call, _ORDER.format(_THIS, ", ".join(map(str, call.args[1:]))))

    def _report_pair(self, call: LibraryCall) -> None:
        sql = _CROSS if call.function == "cross" else _UNION
        self._run_on_relation(call, sql.format(_THIS, _OTHER), call.get_argument(1, "other_rel"))

    def _report_join(self, call: LibraryCall) -> None:
        condition, how = str(call.get_argument(2, "condition")), str(call.get_argument(3, "how", "inner"))
        sql = _JOIN_USING if _NAMES.fullmatch(condition) else _JOIN
        self._run_on_relation(call, sql.format(_THIS, _OTHER, condition, how), call.get_argument(1, "other_rel"))

    def _report_relation_query(self, call: LibraryCall) -> None:
        origin = call.find_origin(call.receiver)
        sql, name = call.get_argument(2, "sql_query"), str(call.get_argument(1, "virtual_table_name"))
        if origin is not None and isinstance(sql, str):
            self._record(call, self._get_database(call.receiver), sql, {name: origin})

    def _report_written_table(self, call: LibraryCall) -> None:
        sql = _TABLE_WRITERS[call.function].format(call.get_argument(1, "table_name"), _THIS)
        self._run_on_relation(call, sql, writes=True)

    def _report_append(self, call: LibraryCall, database: DuckDatabase, first: int) -> None:
        origin = call.find_origin(call.find_argument(first + 1, ("df",)))
        way = "BY NAME" if call.kwargs.get("by_name") else ""
        sql = _APPEND.format(call.find_argument(first, ("table_name",)), way, _NOTHING if origin is None else _THIS)
        self._record(call, database, sql, {} if origin is None else {_THIS: origin})

    def _run_on_relation(self, call: LibraryCall, sql: str, other: object = None, *, writes: bool = False) -> None:
        """Record the SQL that stands for a method of a relation; one without an origin has no data."""
        values = {name: call.find_origin(value) for name, value in ((_THIS, call.receiver), (_OTHER, other))}
        known = {name: origin for name, origin in values.items() if origin is not None}
        for name in values.keys() - known.keys():
            sql = sql.replace(name, _NOTHING)
        if known or writes:
            self._record(call, self._get_database(call.receiver), sql, known)


def _report_files(call: LibraryCall, database: DuckDatabase, first: int) -> None:
    paths = call.get_argument(first, "path_or_buffer") or call.kwargs.get("file_glob")
    texts = paths if isinstance(paths, list | tuple) else [paths]
    format_ = _FILE_READERS[call.function]
    files = list_files([each for each in texts if isinstance(each, str)], format_)
    is_strict = format_ != "json" and not call.kwargs.get("union_by_name")
    call.record_files(files, call.result, is_strict=is_strict)


def _report_value(call: LibraryCall, database: DuckDatabase, first: int) -> None:
    call.record_same_columns(call.result, call.find_argument(first, ("df", "arrow_object")))


def _report_registered(call: LibraryCall, database: DuckDatabase, first: int) -> None:
    name, value = call.get_argument(first, "view_name"), call.get_argument(first + 1, "python_object")
    origin = call.find_origin(value)
    if call.error is None:
        database.put_registered_value(str(name), origin)


def _report_unregistered(call: LibraryCall, database: DuckDatabase, first: int) -> None:
    if call.error is None:
        database.forget_registered_value(str(call.get_argument(first, "view_name")))


def _report_same_columns(call: LibraryCall) -> None:
    if call.result is not None:
        call.record_same_columns(call.result, call.receiver)


def _report_unknown_columns(call: LibraryCall) -> None:
    if call.result is not None:
        call.record_derived(call.result, (call.receiver,))


def _report_written_file(call: LibraryCall) -> None:
    file = find_file(call.get_argument(1, "file_name"), _WRITERS[call.function])
    if file is not None:
        describe = None if call.state is None else partial(_describe, call.state)
        call.record_write(file, (call.receiver,), describe=describe)


def _read_fields(relation: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
    """Return the names and types of a relation before it is written: afterwards DuckDB would examine its query again."""
    return relation.columns, relation.types


def _describe(fields: tuple[Any, Any], columns: ColumnMap | None) -> tuple[tuple[SchemaField, ...], ColumnMap | None]:
    """Return the fields of a written relation."""
    pairs = zip(*fields, strict=True)
    return tuple(SchemaField(name, str(type_), nullable=True) for name, type_ in pairs), columns


def _get_text(query: Any) -> str:
    """Return the text of a query, or of a statement that was extracted from one; "" for another value."""
    text = getattr(query, "query", query)
    return text if isinstance(text, str) else ""


def _find_variables(sql: str) -> dict[str, Any]:
    """Return the variables of the program that a statement may name and that have rows: DuckDB looks them up by name."""
    found: dict[str, Any] = {}
    words = set(_WORD.findall(sql))
    for frame in _iterate_program_frames():
        for names in _list_scopes(frame, words):
            for word in [each for each in words if each in names]:
                # A local variable hides a global one.
                words.discard(word)
                if isinstance(names[word], dict) or any(hasattr(names[word], each) for each in _ROWS):
                    found[word] = names[word]
    return found


def _list_scopes(frame: FrameType, words: Collection[str]) -> list[Mapping[str, Any]]:
    """Return the variables that code sees and that may have these names: local ones, which take long to collect, and global ones."""
    code = frame.f_code
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)
    if is_function and {*code.co_varnames, *code.co_cellvars, *code.co_freevars}.isdisjoint(words):
        return [frame.f_globals]
    return [frame.f_locals, frame.f_globals]


def _iterate_program_frames() -> Iterator[FrameType]:
    """Yield the frames of the program that calls DuckDB, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("duckdb", "_duckdb", "jupyter_colophon"):
            yield frame
        # The frames outside of the cell or the script belong to its kernel or its test.
        frame = None if frame.f_code.co_name == "<module>" else frame.f_back
