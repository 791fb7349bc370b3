"""The names that SQL of a DuckDB connection uses: tables of attached databases, files, and values of the program."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from jupyter_colophon.capture.locations import find_location, list_locations
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset, FileGroup, Origin, Source
from jupyter_colophon.capture.sql.tables import TableName

if TYPE_CHECKING:
    from sqlglot import exp

MEMORY: Final = ":memory:"
#: The catalog of temporary tables.
_TEMPORARY: Final = "temp"
#: Catalog, schema and name of a table, in lower case.
_Key: TypeAlias = tuple[str, str, str]
#: Table functions that read files, with the format.
_READERS: Final = {
    **dict.fromkeys(("read_csv", "read_csv_auto", "sniff_csv"), "csv"),
    **dict.fromkeys(("read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto", "read_json_objects"), "json"),
    **dict.fromkeys(("read_parquet", "parquet_scan"), "parquet"),
    **dict.fromkeys(("read_xlsx", "st_read", "read_text", "read_blob"), None),
    "delta_scan": "delta",
    "iceberg_scan": "iceberg",
}
_WITHOUT_CASE: Final = ("jdbc:duckdb:", "jdbc:sqlite:")
#: Functions that refuse several files that lack columns of each other, unless this option is given.
_STRICT_FORMATS: Final = ("csv", "parquet")
_UNION: Final = "union_by_name"
_FORMATS: Final = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "json", "ndjson": "json", "parquet": "parquet"}
_LOOKS_LIKE_FILE: Final = re.compile(r"[/\\]|\.[A-Za-z0-9]{1,8}(\.(gz|zst))?$")
#: DuckDB's options of a PostgreSQL or MySQL database, as in `ATTACH 'dbname=shop host=db' AS shop (TYPE postgres)`.
_OPTION: Final = re.compile(r"(\w+)\s*=\s*('[^']*'|\S+)")


class DuckDatabase:
    """The databases of one connection and its cursors; the names are resolved in the order of the statements."""

    def __init__(self, path: str) -> None:
        """Create the databases of a connection to a file, or to `:memory:`."""
        self._default = _get_database_name(path)
        self._urls: dict[str, str | None] = {_TEMPORARY: None, self._default: _build_url("duckdb", path)}
        self._schema = "main"
        #: What tables in memory were made from, by catalog, schema and name.
        self._local: dict[_Key, Source] = {}
        #: The registered values by name in lower case, as they are now; a statement keeps those of its time.
        self.registered: Mapping[str, Origin | None] = {}

    @property
    def has_files(self) -> bool:
        """Return whether a database is a file or a server."""
        return any(self._urls.values())

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for (`capture/sql/tables.py`)."""
        if table.function:
            return self._find_function_sources(table)
        local = next((self._local[key] for key in self._list_keys(table) if key in self._local), None)
        if local is not None:
            return (local,)
        if len(table.parts) == 1 and _LOOKS_LIKE_FILE.search(table.name):
            return list_files((table.name,), _find_format(table.name))
        target = self.find_target(table)
        return None if target is None else (target,)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table in a database that is a file or a server; None in memory."""
        catalog, schema = self._split_qualifiers(table)
        url = self._urls.get(catalog)
        if url is None or (len(table.parts) == 1 and _build_temporary_key(table) in self._local):
            return None
        name = f"{schema}.{table.name}" if schema else table.name
        # These keep the case of names, and do not distinguish it.
        urn = build_jdbc_urn(url, name.lower() if url.startswith(_WITHOUT_CASE) else name)
        return None if urn is None else Dataset(DatasetKind.TABLE, urn=urn)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a table in memory was made from; None: it was dropped."""
        if source is not None:
            *_, key = self._list_keys(table)
            self._local[_build_temporary_key(table) if self._urls.get(key[0]) else key] = source
            return
        known = next((key for key in self._list_keys(table) if key in self._local), None)
        if known is not None:
            del self._local[known]

    def _list_keys(self, table: TableName) -> "list[_Key]":
        """Return the places of a table in memory in the order in which DuckDB looks: temporary tables come first."""
        catalog, schema = self._split_qualifiers(table)
        key = (catalog, schema.lower(), table.name.lower())
        return [_build_temporary_key(table), key] if len(table.parts) == 1 else [key]

    def put_registered_value(self, name: str, origin: Origin | None) -> None:
        """Remember a value of the program that is registered as a view, whether its origin is known or not."""
        self.registered = {**self.registered, name.lower(): origin}

    def forget_registered_value(self, name: str) -> None:
        """Forget a view of a value of the program."""
        self.registered = {known: origin for known, origin in self.registered.items() if known != name.lower()}

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow ATTACH, DETACH and USE, which change what names stand for."""
        from sqlglot import exp

        if isinstance(tree, exp.Attach):
            self._attach(tree)
        elif isinstance(tree, exp.Detach):
            self._urls.pop(tree.this.name.lower(), None)
        elif isinstance(tree, exp.Use) and isinstance(tree.this, exp.Table):
            parts = _fold(each.name for each in tree.this.parts)
            self._default = parts[0] if parts[0] in self._urls else self._default
            is_schema = len(parts) > 1 or parts[0] not in self._urls
            self._schema = parts[-1] if is_schema else self._get_default_schema(self._default)

    def _attach(self, tree: "exp.Attach") -> None:
        target = tree.this
        path = target.this.name if target.key == "alias" else target.name
        kinds = [str(each.expression or "") for each in tree.expressions if each.name.upper() == "TYPE"]
        kind = (kinds[0] if kinds else "").strip("'\"").lower() or ("sqlite" if path.endswith(".sqlite") else "duckdb")
        self._urls[(target.alias or _get_database_name(path)).lower()] = _build_url(kind, path)

    def _split_qualifiers(self, table: TableName) -> tuple[str, str]:
        """Return database and schema of a table: `a.t` is a schema, or a database, whichever exists."""
        catalog, schema = table.catalog.lower(), table.schema
        if not catalog and schema.lower() in self._urls:
            return schema.lower(), self._get_default_schema(schema.lower())
        if catalog:
            return catalog, "" if self._is_flat(catalog) else schema
        return self._default, "" if self._is_flat(self._default) else schema or self._schema

    def _get_default_schema(self, catalog: str) -> str:
        """Return the schema of tables without one in a database; "" if it has no schemas."""
        is_postgresql = (self._urls.get(catalog) or "").startswith("jdbc:postgresql:")
        return "" if self._is_flat(catalog) else "public" if is_postgresql else "main"

    def _is_flat(self, catalog: str) -> bool:
        """Return whether a database has no schemas."""
        return (self._urls.get(catalog) or "").startswith(("jdbc:sqlite:", "jdbc:mysql:"))

    def _find_function_sources(self, table: TableName) -> tuple[Source, ...] | None:
        name, paths = table.function, table.paths
        if name in _READERS:
            files = list_files(paths, _READERS[name], is_strict=_UNION not in table.options)
            return files if paths else None
        if name == "copy":
            return tuple(file for path in paths for file in list_files((path,), _find_format(path)))
        if name in ("sqlite_scan", "postgres_scan", "mysql_scan") and len(paths) > 1:
            url = _build_url(name.removesuffix("_scan"), paths[0])
            urn = None if url is None else build_jdbc_urn(url, ".".join(paths[1:]))
            return None if urn is None else (Dataset(DatasetKind.TABLE, urn=urn),)
        # `range(10)`, `unnest(…)`, `duckdb_tables()`: no data of the catalog.
        return ()


class DatabaseView:
    """A connection's databases as one statement sees them: with the values of the program that it names."""

    def __init__(self, database: DuckDatabase, values: Mapping[str, Origin | None]) -> None:
        """Create the view of a statement; `values` are those that DuckDB found, None if the origin is unknown."""
        self._database, self._values, self._registered = database, values, database.registered

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for; a value of the program has no name that a table has, unless it is registered."""
        if len(table.parts) == 1:
            for values, name in ((self._registered, table.name.lower()), (self._values, table.name)):
                if name in values:
                    value = values[name]
                    return () if value is None else (value,)
        return self._database.find_sources(table)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table that is written."""
        return self._database.find_target(table)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a table in memory was made from."""
        self._database.put_local_table(table, source)

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow a statement that changes what names stand for."""
        self._database.run_command(tree)


def list_files(paths: tuple[str, ...], format_: str | None, *, is_strict: bool = True) -> tuple[Source, ...]:
    """Return the files or folders that paths and patterns name; as a group if DuckDB requires the same columns of all."""
    locations = dict.fromkeys(location for path in paths for location in list_locations(path))
    files = tuple(Dataset(location=location, format=format_) for location in locations)
    return (FileGroup(files),) if is_strict and format_ in _STRICT_FORMATS and len(files) > 1 else files


def _find_format(path: str) -> str | None:
    return _FORMATS.get(path.rpartition(".")[2].lower())


def _build_temporary_key(table: TableName) -> "_Key":
    return _TEMPORARY, "main", table.name.lower()


def _get_database_name(path: str) -> str:
    return "memory" if path in ("", MEMORY) else Path(path).stem.lower()


def _build_url(kind: str, path: str) -> str | None:
    """Return the JDBC URL of an attached database, which names its tables; None in memory."""
    if kind in ("duckdb", "sqlite"):
        location = None if path in ("", MEMORY) or path.startswith(f"{MEMORY}") else find_location(path)
        return None if location is None or not location.startswith("file:") else f"jdbc:{kind}:{location[5:]}"
    options = {name.lower(): value.strip("'") for name, value in _OPTION.findall(path)}
    database = options.get("dbname") or options.get("database") or options.get("db")
    if kind not in ("postgres", "postgresql", "mysql") or not database:
        return None
    host = options.get("host", "localhost") + (f":{options['port']}" if "port" in options else "")
    return f"jdbc:{'mysql' if kind == 'mysql' else 'postgresql'}://{host}/{database}"


def _fold(parts: object) -> tuple[str, ...]:
    return tuple(str(part).lower() for part in parts)  # type: ignore[attr-defined]
