"""What names of database tables have in common: the default ports of servers, and the names of tables in files.

Captured reads (capture/names/jdbc_names.py), OpenLineage events (core/identity/openlineage_names.py) and the artifacts of
dbt (core/dbt/) name a table by its server or its file, so all need the same rules.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

DEFAULT_PORTS: Final[Mapping[str, int]] = {
    "clickhouse": 8123,
    "databricks": 443,
    "db2": 50000,
    "derby": 1527,
    "h2": 9092,
    "hive": 10000,
    "hsqldb": 9001,
    "impala": 21050,
    "mariadb": 3306,
    "mssql": 1433,
    "mysql": 3306,
    "netezza": 5480,
    "oracle": 1521,
    "postgres": 5432,
    "presto": 8080,
    "redshift": 5439,
    "singlestore": 3306,
    "teradata": 1025,
    "trino": 8080,
    "vertica": 5433,
}

#: Databases that are a file, with the schema of a table that is named without one; None if they have no schemas.
FILE_DATABASES: Final[Mapping[str, str | None]] = {"duckdb": "main", "sqlite": None}


def make_file_table_name(platform: str, path: str, parts: Sequence[str]) -> str:
    """Return the name of a table in a file: `<path>.<schema>.<table>` for DuckDB, `<path>.<table>` for SQLite.

    `parts` are those of the table's name, qualified or not. The database in it is the name under which the file is
    attached, which differs from session to session.
    """
    default = FILE_DATABASES[platform]
    within = parts[-1:] if default is None else (parts[-2:] if len(parts) > 1 else [default, *parts])
    return ".".join((path, *within))


_REDSHIFT: Final = re.compile(r"(?P<name>[^.:]+)\.[^.:]+\.(?P<region>[^.:]+)\.redshift(?:-serverless)?\.amazonaws\.com")


def shorten_redshift_server(server: str) -> str:
    """Return `<cluster>.<region>:<port>` for the host and the port of a cluster, as OpenLineage names it."""
    cluster = _REDSHIFT.match(server)
    return server if cluster is None else f"{cluster['name']}.{cluster['region']}{server[cluster.end() :]}"
