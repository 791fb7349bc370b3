"""The names of files of system applications. Their rows belong to namespaces as those of tables do."""

from typing import Final

from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `file` is the id of the content (folder.py). `keys` are those of a partition, `metadata` texts by name; both in JSON.
SYSTEM_APP_FILES: Final = TableSpec(
    "system_app_files",
    {
        "context": "string",
        "app": "string",
        "name": "string",
        "file": "string",
        "generation": "long",
        "size": "long",
        "created": "long",
        "created_by": "string",
        "keys": "string",
        "metadata": "string",
    },
    ("context", "app", "name"),
)


def read_generation(tx: TableContext, namespace: str) -> int:
    """Return the generation of a namespace, deleted or not: its creation time; 0 without one."""
    row = tx.get_table("entities").read((str(make_namespace_urn(namespace)),)) if namespace else None
    return 0 if row is None else int(row["created"])


def list_files_after(
    tx: TableContext, namespace: str, app: str, prefix: str, after: str | None, limit: int
) -> list[Row]:
    """Return the next files whose names begin with a prefix, by name."""
    begin = (namespace, app, prefix if after is None else after)
    keys = Range(begin, (namespace, app), begin_inclusive=after is None)
    return [row for row in tx.get_table(SYSTEM_APP_FILES.id).scan(keys, limit) if row["name"].startswith(prefix)]
