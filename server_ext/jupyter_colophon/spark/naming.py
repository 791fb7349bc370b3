"""The URNs of what Spark touches: tables of its catalogs, files, tables behind JDBC (architecture.md, Identity; datahub.md D)."""

import re
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core import names
from jupyter_colophon.core.errors import IllegalName
from jupyter_colophon.spark.crawl import formats

HOME_PLATFORM = "spark"
HOME_CATALOG = "spark_catalog"

PLATFORMS = {"s3a": "s3", "s3n": "s3", "gs": "gcs", "abfs": "abs", "abfss": "abs", "wasb": "abs", "wasbs": "abs"}
"""Schemes of file systems whose platform has another name; the name of every other platform is its scheme."""

BUCKETS = frozenset({"s3", "gcs", "abs"})
"""Platforms whose datasets' names begin with the bucket; the others' are the absolute path alone."""

JDBC_PLATFORMS = {"postgresql": "postgres", "sqlserver": "mssql"}

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
_PARTITIONS = re.compile(r"(?<=[^/:])(/[^=/]+=[^=/]+)+/*")
_TABLE = re.compile(r'[\w$`"\[\].]+')


def dataset(platform: str, name: str) -> str | None:
    """Give a dataset's URN, None where the name fits none (longer than 512 bytes, control characters)."""
    try:
        return str(names.dataset(platform, name))
    except IllegalName:
        return None


def table(identifier: Mapping[str, Any]) -> str | None:
    """Name a table of a catalog, from the JSON of a `TableIdentifier`, in lower case as the catalog hands it out (rule 2)."""
    name = f"{identifier.get('database') or 'default'}.{identifier['table']}".lower()
    catalog = (identifier.get("catalog") or HOME_CATALOG).lower()
    return dataset(HOME_PLATFORM, name if catalog == HOME_CATALOG else f"{catalog}/{name}")


def file(location: str) -> str | None:
    """Name a file or folder by its location as Hadoop's `Path` writes it (not percent-encoded): `file:/data/x`, `s3a://b/k`."""
    found = _URI.fullmatch(location)
    scheme, authority, path = (
        (found["scheme"], found["authority"] or "", found["path"]) if found else ("file", "", location)
    )
    platform = PLATFORMS.get(scheme.lower(), scheme.lower())
    path = path.rstrip("/") or "/"
    if platform not in BUCKETS:
        return dataset(platform, path)
    bucket = authority.rpartition("@")[0] or authority  # abfss writes container@account
    return dataset(platform, f"{bucket}{path}".rstrip("/"))


def whole(location: str) -> tuple[str, str]:
    """Split a location into the dataset's own and the folders of partitions below: `file:/t` and `/day=mon/hour=3`.

    Those are the last ones, as long as they are called `name=value`; a file that is called so is none.
    """
    end = len(location.rstrip("/"))
    found = next((one for one in _PARTITIONS.finditer(location) if one.end() >= end), None)
    if found is None or formats.of_name(location[:end].rpartition("/")[2]):
        return location, ""
    return location[: found.start()], location[found.start() : end]


def jdbc(url: str, table_name: str) -> str | None:
    """Name a table behind JDBC as `<database>.<table>`; None for a query in the place of a table. A URL's secrets are not read."""
    found = re.match(r"jdbc:([a-z0-9]+):", url, re.IGNORECASE)
    if found is None or _TABLE.fullmatch(table_name) is None:
        return None
    rest = url[found.end() :]
    place, _, parameters = rest.replace("?", ";", 1).partition(";")
    named = re.search(r"(?:^|;)database(?:Name)?=([^;]+)", parameters, re.IGNORECASE)
    database = named[1] if named else re.split(r"[/:]", place)[-1]
    platform = found[1].lower()
    name = re.sub(r'[`"\[\]]', "", table_name)
    return dataset(JDBC_PLATFORMS.get(platform, platform), f"{database}.{name}" if database else name)
