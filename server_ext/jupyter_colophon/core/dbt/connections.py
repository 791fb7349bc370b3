"""Where a target of dbt has its tables, as OpenLineage's specification names it: `postgres://db:5432`, `duckdb:///data/shop.duckdb`.

The artifacts have only the adapter; server or file are in the target of the profile, whose secrets are never read.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from jupyter_colophon.core.dbt.nodes import DbtNode
from jupyter_colophon.core.identity.database_names import DEFAULT_PORTS
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_dataset_urn


class UnknownConnection(ValueError):
    """A target does not determine where its tables are."""


@dataclass(frozen=True, slots=True)
class DbtConnection:
    """Where tables are: a namespace of OpenLineage. `others` has those of attached files, by database or schema."""

    adapter: str
    namespace: str
    others: Mapping[str, str] = field(default_factory=dict)

    def make_dataset_urn(self, node: DbtNode, identity: IdentityRules) -> Urn:
        """Return the dataset of a node's table. Raises InvalidName."""
        other = self.others.get(node.database if self.adapter == "duckdb" else node.schema)
        words = (
            [node.schema, node.table] if self.adapter in _WITHOUT_DATABASE else [node.database, node.schema, node.table]
        )
        name = ".".join(filter(None, words))
        # Spark's catalog has names in lower case (spec ID-2).
        return make_openlineage_dataset_urn(
            other or self.namespace, name.lower() if self.adapter == "spark" else name, identity
        )


#: Adapters whose databases are the schemas.
_WITHOUT_DATABASE: Final = frozenset({"clickhouse", "mariadb", "mysql", "singlestore", "spark"})


class _Target:
    """The settings of a target in a profile. `render` evaluates a text in it; it raises UnknownConnection."""

    def __init__(self, settings: Mapping[str, Any], folder: str, render: Callable[[str], str]) -> None:
        self.settings, self.folder, self.render = settings, folder, render

    def find(self, *names: str) -> str:
        """Return the first of these settings that there is, as text; else an empty one."""
        found = next((self.settings[name] for name in names if self.settings.get(name) not in (None, "")), "")
        return self.render(str(found)).strip()

    def require(self, *names: str) -> str:
        """Return the first of these settings. Raises UnknownConnection if there is none."""
        if not (found := self.find(*names)):
            raise UnknownConnection(f"has no `{names[0]}`")
        return found

    def make_absolute(self, path: str) -> str:
        """Return a path, which dbt resolves in the folder of the project."""
        return os.path.abspath(PurePath(self.folder, os.path.expanduser(self.render(path))))


def find_connection(
    adapter: str, settings: Mapping[str, Any], folder: str, render: Callable[[str], str]
) -> DbtConnection:
    """Return where a target has its tables; `folder` is that of the project. Raises UnknownConnection."""
    if adapter not in _FINDERS:
        raise UnknownConnection(f"uses the adapter {adapter}, whose connections are unknown here")
    return _FINDERS[adapter](adapter, _Target(settings, folder, render))


def make_connection(adapter: str, namespace: str) -> DbtConnection:
    """Return the connection with a namespace that a person gave."""
    return DbtConnection(adapter, namespace)


def _create_server_finder(platform: str, *hosts: str) -> Callable[[str, _Target], DbtConnection]:
    def find(adapter: str, target: _Target) -> DbtConnection:
        port = target.find("port") or DEFAULT_PORTS[platform]
        return DbtConnection(adapter, f"{platform}://{target.require(*hosts)}:{port}")

    return find


def _find_snowflake(adapter: str, target: _Target) -> DbtConnection:
    account = target.require("account").removesuffix(".snowflakecomputing.com")
    return DbtConnection(adapter, f"snowflake://{account}")


def _find_athena(adapter: str, target: _Target) -> DbtConnection:
    return DbtConnection(adapter, f"awsathena://athena.{target.require('region_name')}.amazonaws.com")


def _find_duckdb(adapter: str, target: _Target) -> DbtConnection:
    attached = target.settings.get("attach")
    entries: Sequence[Any] = attached if isinstance(attached, list) else ()
    others = {
        target.render(str(entry["alias"])): _make_duckdb_namespace(target, str(entry["path"]))
        for entry in entries
        if isinstance(entry, Mapping) and entry.get("alias") and entry.get("path")
    }
    return DbtConnection(adapter, _make_duckdb_namespace(target, target.find("path") or ":memory:"), others)


def _make_duckdb_namespace(target: _Target, path: str) -> str:
    path = target.render(path)
    if path.startswith(":memory:"):
        raise UnknownConnection("has its tables in memory, where nothing else can read them")
    # Names of services, such as MotherDuck's `md:shop`, and of objects (`s3://…`) are no paths.
    scheme, colon, _ = path.partition(":")
    return f"duckdb://{path if colon and len(scheme) > 1 else target.make_absolute(path)}"


def _find_sqlite(adapter: str, target: _Target) -> DbtConnection:
    files = target.settings.get("schemas_and_paths")
    if not isinstance(files, Mapping) or not files:
        raise UnknownConnection("has no `schemas_and_paths`")
    namespaces = {schema: f"sqlite://{target.make_absolute(str(path))}" for schema, path in files.items()}
    return DbtConnection(adapter, namespaces.get("main") or next(iter(namespaces.values())), namespaces)


def _create_constant_finder(namespace: str) -> Callable[[str, _Target], DbtConnection]:
    return lambda adapter, target: DbtConnection(adapter, namespace)


_FINDERS: Final[Mapping[str, Callable[[str, _Target], DbtConnection]]] = {
    "athena": _find_athena,
    "bigquery": _create_constant_finder("bigquery"),
    "clickhouse": _create_server_finder("clickhouse", "host"),
    "databricks": _create_server_finder("databricks", "host"),
    "duckdb": _find_duckdb,
    "mariadb": _create_server_finder("mariadb", "server", "host"),
    "mysql": _create_server_finder("mysql", "server", "host"),
    "postgres": _create_server_finder("postgres", "host"),
    "redshift": _create_server_finder("redshift", "host"),
    "snowflake": _find_snowflake,
    # The tables of Spark's catalog are the same for each of its servers.
    "spark": _create_constant_finder("spark"),
    "sqlite": _find_sqlite,
    "sqlserver": _create_server_finder("mssql", "server", "host"),
    "trino": _create_server_finder("trino", "host"),
}
