"""Convert OpenLineage names to URNs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.database_names import (
    DEFAULT_PORTS,
    FILE_DATABASES,
    make_file_table_name,
    shorten_redshift_server,
)
from jupyter_colophon.core.identity.names import SPARK_CATALOG, IdentityRules, Urn

PLATFORMS: Final = {
    "abfs": "abs",
    "abfss": "abs",
    "awsathena": "athena",
    "awsglue": "glue",
    "gs": "gcs",
    "s3a": "s3",
    "s3n": "s3",
    "sqlserver": "mssql",
    "wasb": "abs",
    "wasbs": "abs",
}
"""Schemes of OpenLineage namespaces whose platform has another name; every other scheme is its platform's name."""

STORES: Final = frozenset({"abs", "gcs", "s3"})
"""Platforms whose bucket or container is in OpenLineage's namespace, but part of our name."""

CATALOG_SCHEMES: Final = frozenset({"hive", "thrift", "file", "hdfs", "dbfs", "spark", *PLATFORMS, *STORES}) - {
    "awsathena",
    "awsglue",
    "sqlserver",
}
"""Where the catalog of a symlink may live: a Hive metastore, or the warehouse folder of Spark's own catalog."""

DATABASES: Final = frozenset({*DEFAULT_PORTS, "hana", "snowflake"}) - {"hive"}
"""Platforms whose server is in OpenLineage's namespace, but part of our name: a captured read over JDBC is named so too.

Events name Hive's tables by the metastore, which is another server than the one behind JDBC.
"""

NO_ENGINE: Final = "openlineage"
#: Hosts with ports; anything else, such as `h;database=d`, is not part of a name.
_SERVER = re.compile(r"[\w.-]+(?:\\[\w$-]+)?(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?")
_PORT = re.compile(r":\d{1,5}\Z|\\")
_SCHEME = re.compile(r"([^:/]+)(?::(?://)?(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Symlink:
    """An entry of a dataset's `symlinks` facet."""

    namespace: str
    name: str
    type: str = "TABLE"


def make_openlineage_dataset_urn(
    namespace: str, name: str, identity: IdentityRules, symlinks: Iterable[Symlink] = ()
) -> Urn:
    """Return the URN of a dataset with this OpenLineage name.

    The platform is the scheme of the namespace; the name is unchanged, prefixed by bucket, container or database server
    if there is one. The path of a DuckDB or SQLite file (`duckdb:///data/shop.duckdb`) replaces the database in the
    name. The setting for two servers of one platform (`platform_instances`) replaces the server. A symlink to a
    table of a Spark or Hive catalog wins and gives the home platform (spec ID-19). Raises InvalidName.
    """
    for link in symlinks:
        words = _split_table_symlink(link)
        if words is not None:
            return names.make_dataset_urn(identity.default_platform, ".".join(words), identity.default_fabric)
    return _make_urn_of_name(namespace, name, identity)


@lru_cache(maxsize=1024)
def _make_urn_of_name(namespace: str, name: str, identity: IdentityRules) -> Urn:
    """Return the URN of a dataset without symlinks. Cached, since the events of a job name the same datasets."""
    scheme, authority = _split_scheme_and_authority(namespace)
    platform = PLATFORMS.get(scheme, scheme)
    if platform in STORES and authority:
        name = f"{authority.rstrip('/')}/{name.lstrip('/')}"
    prefix = next((instance for glob, instance in identity.platform_instances if fnmatchcase(namespace, glob)), None)
    if prefix is not None:
        name = f"{prefix}.{name}"
    elif platform in FILE_DATABASES and authority.startswith("/"):
        name = make_file_table_name(platform, authority, name.split("."))
    elif platform in DATABASES and _SERVER.fullmatch(authority):
        server = _add_port_to_servers(authority.lower(), DEFAULT_PORTS.get(platform))
        name = f"{shorten_redshift_server(server) if platform == 'redshift' else server}/{name}"
    return names.make_dataset_urn(platform, name)


def _add_port_to_servers(servers: str, port: int | None) -> str:
    """Return the servers, each with its port."""
    named = (server if port is None or _PORT.search(server) else f"{server}:{port}" for server in servers.split(","))
    return ",".join(named)


@lru_cache(maxsize=1024)
def make_openlineage_job_urn(namespace: str, name: str, engine: str | None = None) -> Urn:
    """Return the URN of a job with this OpenLineage name; `engine` is the name in the `processing_engine` facet (spec
    ID-17).

    Cached, since each event needs it several times.
    """
    return names.make_data_job_urn(names.make_data_flow_urn((engine or NO_ENGINE).lower(), namespace, "PROD"), name)


def make_openlineage_name(urn: Urn) -> tuple[str, str]:
    """Return a namespace and a name of OpenLineage for data or a program that no event has named.

    An event with them leads to the same dataset, except that OpenLineage has no fabrics, and to a job of the same name.
    """
    parent, name, *fabric = urn.parts
    if urn.type in names.DATA_TYPES:
        platform = Urn.parse(parent).parts[0]
        return (platform if fabric == ["PROD"] else f"{platform}:{fabric[0]}"), name
    orchestrator, flow, cluster = Urn.parse(parent).parts
    return (flow if orchestrator == NO_ENGINE else f"{orchestrator}://{cluster}/{flow}"), name


def _split_scheme_and_authority(namespace: str) -> tuple[str, str]:
    """Return scheme in lower case and authority: of `s3://bucket`, of `file`, of `arn:aws:glue:…`."""
    match = _SCHEME.fullmatch(namespace)
    if match is None:
        raise InvalidName(
            "OpenLineage namespace", namespace, "it must begin with a scheme, such as postgres://host:5432"
        )
    return match.group(1).lower(), match.group(2) or ""


def _split_table_symlink(link: Symlink) -> list[str] | None:
    if link.type.upper() != "TABLE" or _split_scheme_and_authority(link.namespace)[0] not in CATALOG_SCHEMES:
        return None
    words = link.name.split(".")
    if len(words) == 3 and words[0] == SPARK_CATALOG:
        words = words[1:]
    return words if len(words) == 2 and all(words) else None
