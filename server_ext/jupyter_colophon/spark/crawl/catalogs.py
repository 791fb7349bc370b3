"""The tables and views of Spark's catalogs."""

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.spark.crawl.discovered import Found, Met, Trouble, Wanted
from jupyter_colophon.spark.crawl.local_files import files_in, state_of
from jupyter_colophon.spark.crawl.reading import why
from jupyter_colophon.spark.names import dataset_names
from jupyter_colophon.spark.plans.observation import DataRef, Kind

#: Providers whose tables are their files: those that were looked at tell whether anything changed.
_OF_FILES = frozenset({"parquet", "orc", "csv", "json", "avro", "hive"})
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


class NoSuchPlace(ValueError):
    """A name is neither a catalog nor a database nor a table."""


class Tables:
    """What `catalog`, `catalog.database`, `catalog.database.table`, or the same without the home catalog, means."""

    def __init__(self, spark: Any, named: str, wanted: Wanted, *, views: bool = False) -> None:
        """Find out what is meant. Raises NoSuchPlace."""
        self._spark, self._wanted, self._views = spark, wanted, views
        parts = [(one[1] or one[2]).replace("``", "`") for one in _PART.finditer(named)]
        if parts and not self._is_catalog(parts[0]):
            parts = [dataset_names.HOME_CATALOG, *parts]
        if not 1 <= len(parts) <= 3:
            msg = f"{named}: write CATALOG, DATABASE or TABLE as catalog.database.table"
            raise NoSuchPlace(msg)
        self._catalog = parts[0]
        self._databases = parts[1:2] or self._shown(f"SHOW NAMESPACES IN {_quoted(parts[0])}", "namespace")
        self._table = parts[2] if len(parts) == 3 else None
        #: The names of all tables of the databases that were looked at whole.
        self._listed: dict[str, frozenset[str]] = {}
        if len(parts) > 1:
            self._require(named, parts)

    def __iter__(self) -> Iterator[Met]:
        """The tables, by name."""
        for database in self._databases:
            place = f"{_quoted(self._catalog)}.{_quoted(database)}"
            try:
                found = [self._table] if self._table else self._shown(f"SHOW TABLES IN {place}", "tableName")
            except Exception as error:  # noqa: BLE001  a plug-in may raise anything
                yield Trouble(self._name(database), why(error))
                continue
            if not self._table:
                self._listed[database] = frozenset(map(str.lower, found))
            for table in sorted(found):
                if self._wanted(self._name(database, table)):
                    yield self._met(database, table)

    def listings(self) -> Iterator[Mapping[str, str]]:
        """A database of the home catalog is a namespace; tables of others are called by catalog and database."""
        is_home = self._catalog == dataset_names.HOME_CATALOG
        for database in self._listed:
            yield {"namespace": database.lower()} if is_home else {"prefix": self._beginning(database)}

    def lacks(self, urn: str) -> str | None:
        """The name of a table that is wanted, and not there."""
        for database, tables in self._listed.items():
            table = Urn.parse(urn).parts[1].removeprefix(self._beginning(database))
            told = {"catalog": self._catalog, "database": database, "table": table}
            if dataset_names.table(told) == urn and table not in tables and self._wanted(self._name(database, table)):
                return self._name(database, table)
        return None

    def _beginning(self, database: str) -> str:
        """What the names of all tables of a database begin with."""
        catalog = "" if self._catalog == dataset_names.HOME_CATALOG else f"{self._catalog}/"
        return f"{catalog}{database}.".lower()

    def _met(self, database: str, table: str) -> Met:
        name, quoted = self._name(database, table), ".".join(map(_quoted, (self._catalog, database, table)))
        urn = dataset_names.table({"catalog": self._catalog, "database": database, "table": table})
        if urn is None:
            return Trouble(name, "its name is longer than 512 bytes, or has control characters")
        try:
            told = self._described(quoted)
            if told.get("Type") == "VIEW" and not self._views:
                state = sha256(json.dumps([told.get("View Text"), self._spark.table(quoted).schema.json()]).encode())
                ref = DataRef(urn, Kind.VIEW)
                return Found(name, ref, state.hexdigest(), table=quoted, schema_only=True)
            return _found(name, urn, quoted, told)
        except Exception as error:  # noqa: BLE001  a plug-in may raise anything
            return Trouble(name, why(error))

    def _described(self, quoted: str) -> Mapping[str, str]:
        """What Spark tells of a table besides its columns."""
        rows = self._spark.sql(f"DESCRIBE TABLE EXTENDED {quoted}").collect()
        at = next((at for at, row in enumerate(rows) if row[0].startswith("# Detailed")), len(rows))
        return {row[0]: row[1] or "" for row in rows[at + 1 :] if row[0]}

    def _shown(self, command: str, column: str) -> list[str]:
        rows = self._spark.sql(command).collect()
        return [row[column] for row in rows if not (row.asDict().get("isTemporary") or False)]

    def _name(self, *parts: str) -> str:
        return ".".join(parts if self._catalog == dataset_names.HOME_CATALOG else (self._catalog, *parts))

    def _is_catalog(self, name: str) -> bool:
        is_home = name.lower() == dataset_names.HOME_CATALOG
        return is_home or self._spark.conf.get(f"spark.sql.catalog.{name}", None) is not None

    def _require(self, named: str, parts: list[str]) -> None:
        place = ".".join(map(_quoted, parts))
        check = f"DESCRIBE {'NAMESPACE' if len(parts) == 2 else 'TABLE'} {place}"
        try:
            self._spark.sql(check).collect()
        except Exception as error:
            msg = f"{named}: there is no such folder, catalog, database or table"
            raise NoSuchPlace(msg) from error


def _found(name: str, urn: str, quoted: str, told: Mapping[str, str]) -> Found:
    provider = told.get("Provider", "").lower() or None
    kind = Kind.VIEW if told.get("Type") == "VIEW" else Kind.TABLE
    location = told.get("Location") or None
    ref = DataRef(urn, kind, format=provider, location=location)
    folder = _folder(location) if provider in _OF_FILES and location else None
    if folder is None:
        return Found(name, ref, None, table=quoted)
    files = files_in(folder) if folder.is_dir() else []
    size = sum(one.size for one in files)
    return Found(name, ref, state_of(files), table=quoted, bytes=size, files=len(files))


def _folder(location: str) -> Path | None:
    """The folder of this machine that a location is."""
    told = urlsplit(location)
    return Path(unquote(told.path)) if told.scheme in {"", "file"} else None


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
