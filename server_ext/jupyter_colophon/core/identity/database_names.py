"""The default ports of database servers, by platform.

Captured reads over JDBC (capture/names/jdbc_names.py) and OpenLineage events (core/identity/openlineage_names.py) name a
table by its server, so both need the same port.
"""

from collections.abc import Mapping
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
