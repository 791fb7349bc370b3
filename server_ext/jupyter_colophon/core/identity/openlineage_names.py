"""OpenLineage's names as ours."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.database_names import DEFAULT_PORTS
from jupyter_colophon.core.identity.names import SPARK_CATALOG, Identity, Urn

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
#: Hosts with their ports, and nothing else: what is not one, such as `h;database=d`, is no part of a name.
_SERVER = re.compile(r"[\w.-]+(?:\\[\w$-]+)?(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?")
_PORT = re.compile(r":\d{1,5}\Z|\\")
_SCHEME = re.compile(r"([^:/]+)(?::(?://)?(.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Symlink:
    """One entry of a dataset's `symlinks` facet."""

    namespace: str
    name: str
    type: str = "TABLE"


def openlineage_dataset(namespace: str, name: str, identity: Identity, symlinks: Iterable[Symlink] = ()) -> Urn:
    """The dataset that OpenLineage calls so.

    The platform is the scheme of the namespace, the name stays, behind bucket, container or database server where there
    is one. A setting for two servers of one platform (`platform_instances`) takes the place of the server.
    A symlink that names a table of a Spark or Hive catalog wins and gives the home platform (spec ID-19). Raises
    `InvalidName`.
    """
    for link in symlinks:
        words = _table_words(link)
        if words is not None:
            return names.dataset(identity.default_platform, ".".join(words), identity.default_fabric)
    scheme, authority = _split(namespace)
    platform = PLATFORMS.get(scheme, scheme)
    if platform in STORES and authority:
        name = f"{authority.rstrip('/')}/{name.lstrip('/')}"
    prefix = next((one for glob, one in identity.platform_instances if fnmatchcase(namespace, glob)), None)
    if prefix is not None:
        name = f"{prefix}.{name}"
    elif platform in DATABASES and _SERVER.fullmatch(authority):
        name = f"{_with_ports(authority.lower(), DEFAULT_PORTS.get(platform))}/{name}"
    return names.dataset(platform, name)


def _with_ports(servers: str, port: int | None) -> str:
    """Return the servers, each with its port."""
    named = (one if port is None or _PORT.search(one) else f"{one}:{port}" for one in servers.split(","))
    return ",".join(named)


@lru_cache(maxsize=1024)
def openlineage_job(namespace: str, name: str, engine: str | None = None) -> Urn:
    """The job that OpenLineage calls so; `engine` is the name in the `processing_engine` facet (spec ID-17). Each event asks often."""
    return names.data_job(names.data_flow((engine or NO_ENGINE).lower(), namespace, "PROD"), name)


def _split(namespace: str) -> tuple[str, str]:
    """Scheme in lower case, and authority: of `s3://bucket`, of `file`, of `arn:aws:glue:…`."""
    found = _SCHEME.fullmatch(namespace)
    if found is None:
        raise InvalidName("OpenLineage namespace", namespace, "it begins with a scheme, such as postgres://host:5432")
    return found.group(1).lower(), found.group(2) or ""


def _table_words(link: Symlink) -> list[str] | None:
    if link.type.upper() != "TABLE" or _split(link.namespace)[0] not in CATALOG_SCHEMES:
        return None
    words = link.name.split(".")
    if len(words) == 3 and words[0] == SPARK_CATALOG:
        words = words[1:]
    return words if len(words) == 2 and all(words) else None
