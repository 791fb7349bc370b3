"""URNs of the datasets that Spark reads and writes: catalog tables, files, JDBC tables."""

import re
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.capture.names import file_formats
from jupyter_colophon.capture.names.jdbc_names import parse_jdbc_url
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names

HOME_PLATFORM = "spark"
HOME_CATALOG = "spark_catalog"

PLATFORMS = {"s3a": "s3", "s3n": "s3", "gs": "gcs", "abfs": "abs", "abfss": "abs", "wasb": "abs", "wasbs": "abs"}
"""Platforms of file system schemes; for others the platform is the scheme."""

BUCKETS = frozenset({"s3", "gcs", "abs"})
"""Platforms whose dataset names begin with the bucket; others use only the absolute path."""

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/]*))?(?P<path>.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(?:[\w.,~-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_PARTITIONS = re.compile(r"(?<=[^/:])(/[^=/]+=[^=/]+)+/*")


def build_dataset_urn(platform: str, name: str) -> str | None:
    """Return a dataset URN; None for an invalid name (longer than 512 bytes, control characters)."""
    try:
        return str(names.make_dataset_urn(platform, name))
    except InvalidName:
        return None


def build_table_urn(identifier: Mapping[str, Any]) -> str | None:
    """Return the URN of a catalog table from the JSON of a `TableIdentifier`, in lower case as in the catalog (spec ID-2)."""
    name = f"{identifier.get('database') or 'default'}.{identifier['table']}".lower()
    catalog = (identifier.get("catalog") or HOME_CATALOG).lower()
    return build_dataset_urn(HOME_PLATFORM, name if catalog == HOME_CATALOG else f"{catalog}/{name}")


def build_file_urn(location: str) -> str | None:
    """Return the URN of a file or folder by its location as in Hadoop's `Path` (not percent-encoded): `file:/data/x`, `s3a://b/k`.

    None if the location is invalid, or may contain a secret.
    """
    place = _split_location(location)
    return None if place is None else build_dataset_urn(*place)


def build_model_urn(location: str) -> str | None:
    """Return the URN of a model in a file or folder; None as in `build_file_urn`."""
    place = _split_location(location)
    try:
        return None if place is None else str(names.make_model_urn(*place))
    except InvalidName:
        return None


def _split_location(location: str) -> tuple[str, str] | None:
    """Return the platform and the name of what is at a location; None if it may contain a secret."""
    plain = strip_credentials(location)
    if plain is None:
        return None
    match = _URI.fullmatch(plain)
    scheme, authority, path = (
        (match["scheme"], match["authority"] or "", match["path"]) if match else ("file", "", plain)
    )
    platform = PLATFORMS.get(scheme.lower(), scheme.lower())
    path = path.rstrip("/") or "/"
    if platform not in BUCKETS:
        return platform, path
    bucket = authority.partition("@")[0]  # abfss writes container@account
    return platform, f"{bucket}{path}".rstrip("/")


def strip_credentials(location: str) -> str | None:
    """Return a location without user and query, except for local files; None if it cannot be parsed with certainty.

    The container of an Azure location, which has the position of a user, is kept.
    """
    match = _URI.fullmatch(location)
    if match is None or match["scheme"].lower() == "file" or not match["authority"]:
        return location
    user, _, host = match["authority"].rpartition("@")
    if _AUTHORITY.fullmatch(host) is None:
        return None
    is_azure = PLATFORMS.get(match["scheme"].lower()) == "abs"
    container = f"{user.partition(':')[0]}@" if user and is_azure else ""
    path, sign, query = match["path"].partition("?")
    return f"{match['scheme']}://{container}{host}{path if '=' in query else path + sign + query}"


def split_partition_folders(location: str) -> tuple[str, str]:
    """Split a location into that of the dataset and the partition folders: `file:/t` and `/day=mon/hour=3`.

    Partition folders are the trailing ones with names like `name=value`; a file with such a name is none.
    """
    end = len(location.rstrip("/"))
    match = next((candidate for candidate in _PARTITIONS.finditer(location) if candidate.end() >= end), None)
    if match is None or file_formats.detect_format_from_name(location[:end].rpartition("/")[2]):
        return location, ""
    return location[: match.start()], location[match.start() : end]


def build_jdbc_urn(url: str, table_name: str) -> str | None:
    """Return the URN of a JDBC table, `<host>:<port>/<database>.<schema>.<table>`.

    None for a query instead of a table, and for a URL that cannot be parsed with certainty, so that no secret is published.
    """
    database = parse_jdbc_url(url)
    name = database.format_full_table_name(table_name) if database is not None else None
    return build_dataset_urn(database.platform, name) if database is not None and name is not None else None
