"""The names that SQL of a DuckDB connection uses: tables of attached databases, files, and values of the program."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jupyter_colophon.capture.locations import find_location, list_locations
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset, Origin, Source
from jupyter_colophon.capture.sql.tables import TableName

if TYPE_CHECKING:
    from sqlglot import exp

MEMORY: Final = ":memory:"
#: Table functions that read files, with the format.
_READERS: Final = {
    **dict.fromkeys(("read_csv", "read_csv_auto", "sniff_csv"), "csv"),
    **dict.fromkeys(("read_json", "read_json_auto", "read_ndjson", "read_ndjson_auto", "read_json_objects"), "json"),
    **dict.fromkeys(("read_parquet", "parquet_scan"), "parquet"),
    **dict.fromkeys(("read_xlsx", "st_read", "read_text", "read_blob"), None),
    "delta_scan": "delta",
    "iceberg_scan": "iceberg",
}
_FORMATS: Final = {"csv": "csv", "tsv": "csv", "json": "json", "jsonl": "json", "ndjson": "json", "parquet": "parquet"}
_LOOKS_LIKE_FILE: Final = re.compile(r"[/\\]|\.[A-Za-z0-9]{1,8}(\.(gz|zst))?$")
#: DuckDB's options of a PostgreSQL or MySQL database, as in `ATTACH 'dbname=shop host=db' AS shop (TYPE postgres)`.
_OPTION: Final = re.compile(r"(\w+)\s*=\s*('[^']*'|\S+)")


class DuckDatabase:
    """The databases of one connection and its cursors; the names are resolved in the order of the statements."""

    def __init__(self, path: str) -> None:
        """Create the databases of a connection to a file, or to `:memory:`."""
        self._default = _get_database_name(path)
        self._urls: dict[str, str | None] = {self._default: _build_url("duckdb", path)}
        self._schema = "main"
        self._local: dict[tuple[str, ...], Source] = {}
        #: The registered values by name, as they are now; a statement keeps those of its time.
        self.registered: Mapping[str, Origin] = {}

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for (`capture/sql/tables.py`)."""
        if table.function:
            return self._find_function_sources(table)
        local = self._local.get(_fold(table.parts[-1:]))
        if local is not None and len(table.parts) < 3:
            return (local,)
        if len(table.parts) == 1 and _LOOKS_LIKE_FILE.search(table.name):
            return list_files((table.name,), _FORMATS.get(table.name.rpartition(".")[2].lower()))
        target = self.find_target(table)
        return None if target is None else (target,)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table in a database that is a file or a server; None in memory."""
        catalog, schema = self._split_qualifiers(table)
        url = self._urls.get(catalog)
        urn = None if url is None else build_jdbc_urn(url, f"{schema}.{table.name}" if schema else table.name)
        return None if urn is None else Dataset(DatasetKind.TABLE, urn=urn)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a table in memory was made from; None: it was dropped."""
        key = _fold(table.parts[-1:])
        if source is None:
            self._local.pop(key, None)
        else:
            self._local[key] = source

    def has_created_table(self, table: TableName) -> bool:
        """Return whether a statement created such a table in memory: DuckDB prefers it to a variable of the program."""
        return _fold(table.parts[-1:]) in self._local

    def put_registered_value(self, name: str, origin: Origin) -> None:
        """Remember a value of the program that is registered as a view."""
        self.registered = {**self.registered, name: origin}

    def forget_registered_value(self, name: str) -> None:
        """Forget a view of a value of the program."""
        self.registered = {known: origin for known, origin in self.registered.items() if known != name}

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
            self._schema = parts[-1] if len(parts) > 1 or parts[0] not in self._urls else "main"

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
            return schema.lower(), "" if self._is_flat(schema.lower()) else "main"
        catalog = catalog or self._default
        return catalog, "" if self._is_flat(catalog) else schema or self._schema

    def _is_flat(self, catalog: str) -> bool:
        """Return whether a database has no schemas."""
        return (self._urls.get(catalog) or "").startswith(("jdbc:sqlite:", "jdbc:mysql:"))

    def _find_function_sources(self, table: TableName) -> tuple[Source, ...] | None:
        name, paths = table.function, table.paths
        if name in _READERS:
            return list_files(paths, _READERS[name]) if paths else None
        if name in ("sqlite_scan", "postgres_scan", "mysql_scan") and len(paths) > 1:
            url = _build_url(name.removesuffix("_scan"), paths[0])
            urn = None if url is None else build_jdbc_urn(url, ".".join(paths[1:]))
            return None if urn is None else (Dataset(DatasetKind.TABLE, urn=urn),)
        # `range(10)`, `unnest(…)`, `duckdb_tables()`: no data of the catalog.
        return ()


class DatabaseView:
    """A connection's databases as one statement sees them: with the values of the program that it names."""

    def __init__(self, database: DuckDatabase, values: Mapping[str, Origin]) -> None:
        """Create the view of a statement; `values` are those that had origins when it ran."""
        self._database, self._values = database, {**database.registered, **values}

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for; a value of the program hides a table of the same name that is unknown."""
        value = self._values.get(table.name) if len(table.parts) == 1 else None
        if value is not None and self._database.has_created_table(table):
            value = None
        known = (
            None
            if value is not None and not _LOOKS_LIKE_FILE.search(table.name)
            else self._database.find_sources(table)
        )
        return (value,) if value is not None and known is None else known

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table that is written."""
        return self._database.find_target(table)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember what a table in memory was made from."""
        self._database.put_local_table(table, source)

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow a statement that changes what names stand for."""
        self._database.run_command(tree)


def list_files(paths: tuple[str, ...], format_: str | None) -> tuple[Source, ...]:
    """Return the files or folders that paths and patterns name."""
    locations = dict.fromkeys(location for path in paths for location in list_locations(path))
    return tuple(Dataset(location=location, format=format_) for location in locations)


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
