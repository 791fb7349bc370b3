"""The names of the secrets of namespaces. Their values are in a store of secrets, never in the catalog."""

from typing import Final

from jupyter_colophon.storage.app_files.rows import read_generation
from jupyter_colophon.storage.spi import Range, Row, TableContext, TableSpec

#: `reference` names the store of the value and its key there. The rows belong to namespaces as those of applications do.
NAMESPACE_SECRETS: Final = TableSpec(
    "namespace_secrets",
    {
        "context": "string",
        "name": "string",
        "description": "string",
        "reference": "string",
        "generation": "long",
        "created": "long",
        "created_by": "string",
        "updated": "long",
        "updated_by": "string",
    },
    ("context", "name"),
)


def find_secret(tx: TableContext, namespace: str, name: str) -> Row | None:
    """Return a secret of the present namespace of this name."""
    row = tx.get_table(NAMESPACE_SECRETS.id).read((namespace, name))
    return row if row is not None and row["generation"] == read_generation(tx, namespace) else None


def list_secrets(tx: TableContext, namespace: str) -> list[Row]:
    """Return the secrets of the present namespace of this name, by name."""
    generation = read_generation(tx, namespace)
    rows = tx.get_table(NAMESPACE_SECRETS.id).scan(Range.prefix(namespace))
    return [row for row in rows if row["generation"] == generation]


def list_references_until(tx: TableContext, namespace: str, generation: int) -> list[str]:
    """Return where the values of a deleted namespace are: those of this generation and of earlier ones."""
    rows = tx.get_table(NAMESPACE_SECRETS.id).scan(Range.prefix(namespace))
    return [row["reference"] for row in rows if row["generation"] <= generation]


def write_secret(tx: TableContext, row: Row) -> None:
    """Write a secret in the present namespace."""
    generation = read_generation(tx, row["context"])
    tx.get_table(NAMESPACE_SECRETS.id).upsert({**row, "generation": generation})


def delete_secret(tx: TableContext, namespace: str, name: str) -> None:
    """Delete a secret."""
    tx.get_table(NAMESPACE_SECRETS.id).delete((namespace, name))
