"""The tables and views of Spark's catalogs."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import DataRef, DatasetKind
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.spark.crawl.discovered import CrawlIssue, Discovered, FoundDataset, PathFilter
from jupyter_colophon.spark.crawl.local_files import compute_files_state, list_table_files
from jupyter_colophon.spark.crawl.reading import describe_read_error

#: Providers whose tables are files, which show whether the data changed.
_OF_FILES = frozenset({"parquet", "orc", "csv", "json", "avro", "hive"})
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


class CrawlTargetNotFound(ValueError):
    """A name is neither a catalog nor a database nor a table."""


class CatalogTables:
    """The tables of `catalog`, `catalog.database` or `catalog.database.table`; the home catalog may be omitted."""

    def __init__(self, spark: Any, name: str, selection: PathFilter, *, views: bool = False) -> None:
        """Resolve the name. Raises CrawlTargetNotFound."""
        self._spark, self._selection, self._views = spark, selection, views
        parts = [(part[1] or part[2]).replace("``", "`") for part in _PART.finditer(name)]
        if parts and not self._is_catalog(parts[0]):
            parts = [dataset_names.HOME_CATALOG, *parts]
        if not 1 <= len(parts) <= 3:
            msg = f"{name}: expected CATALOG, DATABASE or TABLE as catalog.database.table"
            raise CrawlTargetNotFound(msg)
        self._catalog = parts[0]
        self._databases = parts[1:2] or self._run_show_command(
            f"SHOW NAMESPACES IN {_quote_sql_name(parts[0])}", "namespace"
        )
        self._table = parts[2] if len(parts) == 3 else None
        #: The names of all tables of the databases that were listed completely.
        self._listed: dict[str, frozenset[str]] = {}
        if len(parts) > 1:
            self._require_existing_target(name, parts)

    def __iter__(self) -> Iterator[Discovered]:
        """Yield the tables, ordered by name."""
        for database in self._databases:
            place = f"{_quote_sql_name(self._catalog)}.{_quote_sql_name(database)}"
            try:
                tables = (
                    [self._table] if self._table else self._run_show_command(f"SHOW TABLES IN {place}", "tableName")
                )
            except Exception as error:  # noqa: BLE001  a plug-in may raise anything
                yield CrawlIssue(self._format_table_name(database), describe_read_error(error))
                continue
            if not self._table:
                self._listed[database] = frozenset(map(str.lower, tables))
            for table in sorted(tables):
                if self._selection(self._format_table_name(database, table)):
                    yield self._inspect_table(database, table)

    def list_entity_filters(self) -> Iterator[Mapping[str, str]]:
        """Yield filters for the crawled databases: namespaces for the home catalog, name prefixes for others."""
        is_home = self._catalog == dataset_names.HOME_CATALOG
        for database in self._listed:
            yield {"namespace": database.lower()} if is_home else {"prefix": self._build_prefix(database)}

    def find_name_of_missing_dataset(self, urn: str) -> str | None:
        """Return the name of a selected table that no longer exists; else None."""
        for database, tables in self._listed.items():
            table = Urn.parse(urn).parts[1].removeprefix(self._build_prefix(database))
            identifier = {"catalog": self._catalog, "database": database, "table": table}
            if (
                dataset_names.build_table_urn(identifier) == urn
                and table not in tables
                and self._selection(self._format_table_name(database, table))
            ):
                return self._format_table_name(database, table)
        return None

    def _build_prefix(self, database: str) -> str:
        """Return the prefix of the dataset names of all tables of a database."""
        catalog = "" if self._catalog == dataset_names.HOME_CATALOG else f"{self._catalog}/"
        return f"{catalog}{database}.".lower()

    def _inspect_table(self, database: str, table: str) -> Discovered:
        name, quoted = (
            self._format_table_name(database, table),
            ".".join(map(_quote_sql_name, (self._catalog, database, table))),
        )
        urn = dataset_names.build_table_urn({"catalog": self._catalog, "database": database, "table": table})
        if urn is None:
            return CrawlIssue(name, "the name is longer than 512 bytes or contains control characters")
        try:
            description = self._describe_table(quoted)
            if description.get("Type") == "VIEW" and not self._views:
                state = sha256(
                    json.dumps([description.get("View Text"), self._spark.table(quoted).schema.json()]).encode()
                )
                ref = DataRef(urn, DatasetKind.VIEW)
                return FoundDataset(name, ref, state.hexdigest(), table=quoted, schema_only=True)
            return _create_dataset(name, urn, quoted, description)
        except Exception as error:  # noqa: BLE001  a plug-in may raise anything
            return CrawlIssue(name, describe_read_error(error))

    def _describe_table(self, quoted: str) -> Mapping[str, str]:
        """Return Spark's description of a table without its columns."""
        rows = self._spark.sql(f"DESCRIBE TABLE EXTENDED {quoted}").collect()
        at = next((at for at, row in enumerate(rows) if row[0].startswith("# Detailed")), len(rows))
        return {row[0]: row[1] or "" for row in rows[at + 1 :] if row[0]}

    def _run_show_command(self, command: str, column: str) -> list[str]:
        rows = self._spark.sql(command).collect()
        return [row[column] for row in rows if not (row.asDict().get("isTemporary") or False)]

    def _format_table_name(self, *parts: str) -> str:
        return ".".join(parts if self._catalog == dataset_names.HOME_CATALOG else (self._catalog, *parts))

    def _is_catalog(self, name: str) -> bool:
        is_home = name.lower() == dataset_names.HOME_CATALOG
        return is_home or self._spark.conf.get(f"spark.sql.catalog.{name}", None) is not None

    def _require_existing_target(self, named: str, parts: list[str]) -> None:
        place = ".".join(map(_quote_sql_name, parts))
        check = f"DESCRIBE {'NAMESPACE' if len(parts) == 2 else 'TABLE'} {place}"
        try:
            self._spark.sql(check).collect()
        except Exception as error:
            msg = f"{named}: no such folder, catalog, database or table"
            raise CrawlTargetNotFound(msg) from error


def _create_dataset(name: str, urn: str, quoted: str, description: Mapping[str, str]) -> FoundDataset:
    provider = description.get("Provider", "").lower() or None
    kind = DatasetKind.VIEW if description.get("Type") == "VIEW" else DatasetKind.TABLE
    location = description.get("Location") or None
    ref = DataRef(urn, kind, format=provider, location=location)
    folder = _find_local_folder(location) if provider in _OF_FILES and location else None
    if folder is None:
        return FoundDataset(name, ref, None, table=quoted)
    files = list_table_files(folder) if folder.is_dir() else []
    size = sum(file.size for file in files)
    return FoundDataset(name, ref, compute_files_state(files), table=quoted, bytes=size, files=len(files))


def _find_local_folder(location: str) -> Path | None:
    """Return the local folder of a location; None for other file systems."""
    parts = urlsplit(location)
    return Path(unquote(parts.path)) if parts.scheme in {"", "file"} else None


def _quote_sql_name(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
