"""What names stand for in a Spark Connect session: tables of catalogs, files, and temporary views."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource
from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.capture.origins import Dataset, Origin, Query, Source
from jupyter_colophon.capture.sql.statements import list_dropped_names, parse_table_name
from jupyter_colophon.capture.sql.tables import TableName
from jupyter_colophon.spark.connect.columns import SparkColumns
from jupyter_colophon.spark.connect.locations import FILE_FORMATS, ServerFiles
from jupyter_colophon.spark.connect.schemas import read_table_columns
from jupyter_colophon.spark.plans.dropped_tables import build_database_prefix

if TYPE_CHECKING:
    from sqlglot import exp

_TIMEOUT_S: Final = 5.0
_SETTINGS: Final = ("spark.sql.defaultCatalog", "spark.sql.warehouse.dir")
_GLOBAL: Final = "global_temp"
#: First words of statements that move data, where the parser does not know the rest.
_MOVING: Final = frozenset({"INSERT", "MERGE", "FROM", "LOAD", "COPY", "REPLACE"})


class ViewData(Query):
    """The data below a temporary view, with its columns."""

    def __init__(self, sources: Iterable[Source], columns: ColumnMap | None) -> None:
        """Create the data of a view."""
        self._sources, self._columns = tuple(sources), columns

    def list_sources(self) -> tuple[Source, ...]:
        """Return the data that the view is computed from."""
        return self._sources

    def get_columns(self) -> ColumnMap | None:
        """Return the sources of the view's columns."""
        return self._columns


class SessionTables:
    """The names of one session, in the order of its statements. Used on the thread that reports lineage."""

    def __init__(self, client: Any) -> None:
        """Create the names of a client's session. Asks the server only when a name needs it."""
        self._client = client
        self._views: dict[str, Source] = {}
        self._settings: dict[str, str | None] = {}
        self._catalog, self._database = "", ""
        self._columns: dict[str, tuple[str, ...] | None] = {}
        #: Whether a statement moved data in a way that is not understood.
        self.has_unseen = False

    @property
    def files(self) -> ServerFiles:
        """Return how the server completes paths."""
        return ServerFiles(self._read_setting("spark.sql.warehouse.dir"))

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for (`capture/sql/tables.py`)."""
        if table.function:
            # `range(10)`, `explode(…)`: no data of the catalog.
            return ()
        view = self._views.get(_get_view_key(table))
        if view is not None:
            return (view,)
        if table.schema.lower() in FILE_FORMATS and not table.catalog:
            return self.files.list_datasets((table.name,), table.schema.lower())
        target = self.find_target(table)
        if target is not None and table.version:
            # An earlier version may have had other columns.
            return (replace(target, version=table.version),)
        return None if target is None else (self._describe_table(target, table.parts),)

    def _describe_table(self, dataset: Dataset, parts: tuple[str, ...]) -> Source:
        """Return a table with its columns, if the server returns them: unqualified names of a statement can then be resolved."""
        if dataset.urn not in self._columns:
            name = ".".join(f"`{part.replace('`', '``')}`" for part in parts)
            self._columns[dataset.urn] = read_table_columns(self._client, name)
        names = self._columns[dataset.urn]
        if names is None:
            return dataset
        columns = {name: frozenset((ColumnSource(dataset, name),)) for name in names}
        return ViewData((dataset,), SparkColumns(None, columns, names=names))

    def forget_columns(self, dataset: Dataset | None) -> None:
        """Forget the columns of a table that was written; of all tables for None."""
        if dataset is None:
            self._columns.clear()
        else:
            self._columns.pop(dataset.urn, None)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table that is written; None if it has no valid name."""
        return self.find_table(table.parts)

    def find_table(self, parts: tuple[str, ...]) -> Dataset | None:
        """Return the table that a name with these parts stands for."""
        catalog, *database = self._split_qualifiers(parts[:-1])
        urn = dataset_names.build_table_urn(
            {"catalog": catalog, "database": ".".join(database), "table": parts[-1]},
        )
        return None if urn is None else Dataset(DatasetKind.TABLE, urn=urn)

    def find_named(self, parts: tuple[str, ...]) -> tuple[Source, ...]:
        """Return the data of a table or temporary view by the parts of its name."""
        name = TableName(".".join(parts[:-2]), parts[-2] if len(parts) > 1 else "", parts[-1])
        view = self._views.get(_get_view_key(name))
        if view is not None:
            return (view,)
        if len(parts) == 2 and parts[0].lower() in FILE_FORMATS:
            return self.files.list_datasets(parts[1:], parts[0].lower()) or ()
        target = self.find_table(parts)
        return () if target is None else (target,)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember the data of a temporary view; None: it was dropped."""
        if source is None:
            self._views.pop(_get_view_key(table), None)
            self.forget_columns(None)
            return
        if isinstance(source, Origin):
            # Views are followed to the data below them, whichever cell defined them.
            names = None if source.columns is None or source.columns.whole else tuple(source.columns.columns)
            source = ViewData(source.sources, SparkColumns.from_map(source.columns, names))
        self._views[_get_view_key(table)] = source

    def put_view(self, name: str, source: Source, *, is_global: bool) -> None:
        """Remember the data of a view that a DataFrame created."""
        self.put_local_table(TableName(schema=_GLOBAL if is_global else "", name=name), source)

    def drop_view(self, name: str, *, is_global: bool) -> None:
        """Forget a temporary view."""
        self.put_local_table(TableName(schema=_GLOBAL if is_global else "", name=name), None)

    def find_dropped(self, kind: str, name: TableName) -> str | None:
        """Return the URN of a table or view of a catalog, or that with which those of the tables of a database begin."""
        if kind in ("TABLE", "VIEW"):
            table = None if _get_view_key(name) in self._views else self.find_table(name.parts)
            return None if table is None else table.urn
        if kind not in ("DATABASE", "SCHEMA", "NAMESPACE"):
            return None
        catalog, *database = self._split_qualifiers(name.parts)
        return build_database_prefix({"catalog": catalog, "database": ".".join(database)})

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow `USE` and `SET CATALOG`, and remember statements that move data in an unknown way."""
        from sqlglot import exp

        if isinstance(tree, exp.Use) and isinstance(tree.this, exp.Table):
            parts = tuple(each.name for each in tree.this.parts)
            kind = str(tree.args.get("kind") or "").upper()
            if kind == "CATALOG":
                self._catalog, self._database = parts[-1], ""
            elif len(parts) == 1 and not kind and self._is_catalog(parts[0]):
                self._catalog, self._database = parts[0], ""
            else:
                self._catalog, *database = self._split_qualifiers(parts)
                self._database = ".".join(database)
        elif isinstance(tree, exp.Command):
            word, rest = str(tree.this).upper(), str(tree.expression or "").split()
            if word == "SET" and len(rest) == 2 and rest[0].upper() == "CATALOG":
                self._catalog, self._database = rest[1].strip("`'\""), ""
            self.has_unseen |= word in _MOVING
        else:
            if isinstance(tree, exp.Alter):
                self.forget_columns(None)
            self.has_unseen |= type(tree).__name__ in ("MultitableInserts", "LoadData", "Cache")

    def set_current(self, *, catalog: str = "", database: str = "") -> None:
        """Follow `spark.catalog.setCurrentCatalog` and `setCurrentDatabase`."""
        if catalog:
            self._catalog, self._database = catalog, ""
        else:
            self._catalog, *parts = self._split_qualifiers(tuple(database.split(".")))
            self._database = ".".join(parts)

    def _split_qualifiers(self, qualifiers: tuple[str, ...]) -> tuple[str, ...]:
        """Return catalog and database of a table with these qualifiers: a first part that is not a catalog is a database."""
        if qualifiers and self._is_catalog(qualifiers[0]):
            return qualifiers if len(qualifiers) > 1 else (qualifiers[0], "")
        catalog = self._catalog or self._read_setting("spark.sql.defaultCatalog") or dataset_names.HOME_CATALOG
        return (catalog, *(qualifiers or (self._database,)))

    def _is_catalog(self, name: str) -> bool:
        key = f"spark.sql.catalog.{name}"
        return name.lower() == dataset_names.HOME_CATALOG or bool(self._read_setting(key))

    def _read_setting(self, key: str) -> str | None:
        if key not in self._settings:
            keys = (*_SETTINGS, key)
            self._settings |= dict.fromkeys(keys)
            with suppress(Exception):  # The server may be gone, and the methods are private ones of the client.
                self._settings |= _read_settings(self._client, keys)
        return self._settings[key]


class StatementTables:
    """The names of a session as one statement sees them: with the DataFrames that it names."""

    def __init__(self, tables: SessionTables, references: Mapping[str, Source]) -> None:
        """Create the names of a statement; `references` are its DataFrames by their names."""
        self._tables, self._references = tables, references
        #: The URNs of tables, as those of an `Observation`.
        self.dropped: tuple[str, ...] = ()
        self.created: tuple[str, ...] = ()

    def find_sources(self, table: TableName) -> tuple[Source, ...] | None:
        """Return the data that a name stands for."""
        reference = self._references.get(table.name) if len(table.parts) == 1 else None
        return self._tables.find_sources(table) if reference is None else (reference,)

    def find_target(self, table: TableName) -> Dataset | None:
        """Return the dataset of a table that is written."""
        return self._tables.find_target(table)

    def put_local_table(self, table: TableName, source: Source | None) -> None:
        """Remember the data of a temporary view."""
        self._tables.put_local_table(table, source)

    def run_command(self, tree: "exp.Expr") -> None:
        """Follow a statement that changes what names stand for, and remember the tables that it drops or creates without rows."""
        from sqlglot import exp

        if isinstance(tree, exp.Drop):
            names = (self._tables.find_dropped(tree.kind or "", each) for each in list_dropped_names(tree))
            self.dropped += tuple(name for name in names if name)
        elif isinstance(tree, exp.Create) and tree.kind == "TABLE":
            named = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            table = self.find_target(parse_table_name(named))
            self.created += () if table is None else (table.urn,)
        else:
            self._tables.run_command(tree)


def _get_view_key(table: TableName) -> str:
    return ".".join(table.parts).lower()


def _read_settings(client: Any, keys: Iterable[str]) -> dict[str, str | None]:
    """Return settings of the session, as `client.get_configs` does, which would wait and retry if the server is gone."""
    request = client._config_request_with_metadata()
    request.operation.get_option.keys.extend(keys)
    answer = client._stub.Config(request, timeout=_TIMEOUT_S, metadata=client._builder.metadata())
    return {pair.key: pair.value if pair.HasField("value") else None for pair in answer.pairs}
