"""The URNs of what Spark touches: tables of its catalogs, files, tables behind JDBC."""

import re
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.spark.names import file_formats
from jupyter_colophon.spark.names.jdbc_names import parse_jdbc_url

HOME_PLATFORM = "spark"
HOME_CATALOG = "spark_catalog"

PLATFORMS = {"s3a": "s3", "s3n": "s3", "gs": "gcs", "abfs": "abs", "abfss": "abs", "wasb": "abs", "wasbs": "abs"}
"""Schemes of file systems whose platform has another name; the name of every other platform is its scheme."""

BUCKETS = frozenset({"s3", "gcs", "abs"})
"""Platforms whose datasets' names begin with the bucket; the others' are the absolute path alone."""

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?:[\w.,~-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_PARTITIONS = re.compile(r"(?<=[^/:])(/[^=/]+=[^=/]+)+/*")


def dataset(platform: str, name: str) -> str | None:
    """Give a dataset's URN, None where the name fits none (longer than 512 bytes, control characters)."""
    try:
        return str(names.dataset(platform, name))
    except InvalidName:
        return None


def table(identifier: Mapping[str, Any]) -> str | None:
    """Name a table of a catalog, from the JSON of a `TableIdentifier`, in lower case as the catalog hands it out (spec ID-2)."""
    name = f"{identifier.get('database') or 'default'}.{identifier['table']}".lower()
    catalog = (identifier.get("catalog") or HOME_CATALOG).lower()
    return dataset(HOME_PLATFORM, name if catalog == HOME_CATALOG else f"{catalog}/{name}")


def file(location: str) -> str | None:
    """Name a file or folder by its location as Hadoop's `Path` writes it (not percent-encoded): `file:/data/x`, `s3a://b/k`.

    None where it names none, or where a secret may be a part of it.
    """
    plain = without_credentials(location)
    if plain is None:
        return None
    found = _URI.fullmatch(plain)
    scheme, authority, path = (
        (found["scheme"], found["authority"] or "", found["path"]) if found else ("file", "", plain)
    )
    platform = PLATFORMS.get(scheme.lower(), scheme.lower())
    path = path.rstrip("/") or "/"
    if platform not in BUCKETS:
        return dataset(platform, path)
    bucket = authority.partition("@")[0]  # abfss writes container@account
    return dataset(platform, f"{bucket}{path}".rstrip("/"))


def without_credentials(location: str) -> str | None:
    """Return a location without the user and the query that others than files may have; None where it is not clear what they are.

    Azure's container is written where others have a user, and stays.
    """
    found = _URI.fullmatch(location)
    if found is None or found["scheme"].lower() == "file" or not found["authority"]:
        return location
    user, _, host = found["authority"].rpartition("@")
    if _AUTHORITY.fullmatch(host) is None:
        return None
    is_azure = PLATFORMS.get(found["scheme"].lower()) == "abs"
    container = f"{user.partition(':')[0]}@" if user and is_azure else ""
    path, sign, query = found["path"].partition("?")
    return f"{found['scheme']}://{container}{host}{path if '=' in query else path + sign + query}"


def whole(location: str) -> tuple[str, str]:
    """Split a location into the dataset's own and the folders of partitions below: `file:/t` and `/day=mon/hour=3`.

    Those are the last ones, as long as they are called `name=value`; a file that is called so is none.
    """
    end = len(location.rstrip("/"))
    found = next((one for one in _PARTITIONS.finditer(location) if one.end() >= end), None)
    if found is None or file_formats.of_name(location[:end].rpartition("/")[2]):
        return location, ""
    return location[: found.start()], location[found.start() : end]


def jdbc(url: str, table_name: str) -> str | None:
    """Name a table behind JDBC as `<host>:<port>/<database>.<schema>.<table>`.

    None for a query in the place of a table, and for a URL that cannot be read with certainty: its secrets are not read.
    """
    database = parse_jdbc_url(url)
    name = database.table(table_name) if database is not None else None
    return dataset(database.platform, name) if database is not None and name is not None else None
