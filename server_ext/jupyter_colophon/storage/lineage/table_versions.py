"""The versions of a table that a run read or wrote: a short JSON list in the row of the access."""

from collections.abc import Iterable, Sequence
from typing import Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.storage.spi import Row

#: How many versions of an access are kept; a run that writes a table in a loop has as many as it has writes.
VERSIONS_MAX: Final = 20


def read_table_versions(row: Row) -> tuple[str, ...]:
    """Return the versions of an access in the order in which they were recorded; none if they are unknown."""
    return tuple(parse_stored_json(row["table_versions"])) if row.get("table_versions") else ()


def merge_table_versions(rows: Sequence[Row | None], added: Iterable[str] = ()) -> str | None:
    """Return what is stored for the versions of these rows and further ones, at most the newest VERSIONS_MAX."""
    known = [version for row in rows if row is not None for version in read_table_versions(row)]
    newest_first = dict.fromkeys(reversed([*known, *filter(None, added)]))
    versions = [*newest_first][:VERSIONS_MAX][::-1]
    return encode_canonical_json(versions) if versions else None
