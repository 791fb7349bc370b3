"""Store artifacts of namespaces: their content once for each digest, in parts.

The content is in the store itself, so that it is written with the entity in one transaction, is part of backups, and is
there for all servers of the store. The transaction that deletes the entity deletes it when no other artifact has it.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from jupyter_colophon.core.artifacts.artifact import Artifact, ArtifactKey
from jupyter_colophon.core.documents.codec import from_stored_form, to_stored_form
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext, TableSpec

#: `document` is the artifact as JSON.
ARTIFACTS: Final = TableSpec(
    "artifacts",
    {"namespace": "string", "name": "string", "version": "string", "sha256": "string", "document": "string"},
    ("namespace", "name", "version"),
    ("sha256",),
)
ARTIFACT_PARTS: Final = TableSpec(
    "artifact_parts", {"sha256": "string", "part": "int", "content": "bytes"}, ("sha256", "part")
)
_PART_BYTES: Final = 64 * 1024


def write_artifact(tx: TableContext, artifact: Artifact, content: bytes) -> None:
    """Write a new artifact, and its content unless the store has it."""
    parts = tx.get_table(ARTIFACT_PARTS.id)
    if parts.read((artifact.sha256, 0), ["sha256"]) is None:
        starts = range(0, len(content), _PART_BYTES)
        parts.upsert_many(
            [
                {"sha256": artifact.sha256, "part": at, "content": content[start : start + _PART_BYTES]}
                for at, start in enumerate(starts)
            ]
        )
    tx.get_table(ARTIFACTS.id).upsert(
        {
            "namespace": artifact.namespace,
            "name": artifact.name,
            "version": artifact.version,
            "sha256": artifact.sha256,
            "document": json.dumps(to_stored_form(artifact)),
        }
    )


def find_artifact(tx: TableContext, key: ArtifactKey) -> Artifact | None:
    """Return an artifact; None if there is none."""
    row = tx.get_table(ARTIFACTS.id).read((key.namespace, key.name, key.version))
    return None if row is None else _parse_row(row)


def list_artifacts(tx: TableContext, namespace: str, after: Key, limit: int) -> list[Artifact]:
    """Return artifacts of a namespace by name and version, after a name and version."""
    keys = Range((namespace, *after), (namespace,), begin_inclusive=False) if after else Range.prefix(namespace)
    return [_parse_row(row) for row in tx.get_table(ARTIFACTS.id).scan(keys, limit)]


def read_content(tx: TableContext, digest: str) -> bytes:
    """Return the content with a digest. Raises StorageError if it is damaged."""
    content = b"".join(row["content"] for row in tx.get_table(ARTIFACT_PARTS.id).scan(Range.prefix(digest)))
    if compute_digest(content) != digest:
        raise StorageError(f"the content of an artifact is damaged: it does not have the digest {digest}")
    return content


def delete_artifact(tx: TableContext, key: ArtifactKey) -> None:
    """Delete an artifact, and its content if no other artifact has it."""
    table, row_key = tx.get_table(ARTIFACTS.id), (key.namespace, key.name, key.version)
    row = table.read(row_key)
    if row is None:
        return
    table.delete(row_key)
    if _is_empty(table.scan_index("sha256", row["sha256"], 1)):
        tx.get_table(ARTIFACT_PARTS.id).delete_range(Range.prefix(row["sha256"]))


def compute_digest(content: bytes) -> str:
    """Return the digest that identifies a content."""
    return sha256(content).hexdigest()


def _is_empty(rows: Iterable[Row]) -> bool:
    return next(iter(rows), None) is None


def _parse_row(row: Row) -> Artifact:
    return from_stored_form(json.loads(row["document"]), Artifact)
