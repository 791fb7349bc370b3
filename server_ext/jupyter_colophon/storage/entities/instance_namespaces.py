"""Which namespaces the records of instances name (core/instances/instance_namespaces.py)."""

from typing import Final

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.instances.instance_namespaces import read_namespace_of_document
from jupyter_colophon.storage.spi import Range, TableContext

ASPECT: Final = "instance"
#: How many versions are searched for the newest one with a namespace: a removal or a broken file has none.
_VERSIONS_MAX: Final = 20


def find_last_namespace_of_instance(tx: TableContext, urn: str) -> str | None:
    """Return the namespace of an instance, or its last one; None if it never had one."""
    row = tx.get_table("aspects").read((urn, ASPECT))
    if (
        row is not None
        and row["value"] is not None
        and (present := read_namespace_of_document(parse_stored_json(row["value"]))) is not None
    ):
        return present
    versions = tx.get_table("aspect_versions").scan(Range.prefix(urn, ASPECT), limit=_VERSIONS_MAX, order="desc")
    named = (
        read_namespace_of_document(parse_stored_json(version["value"]))
        for version in versions
        if version["value"] is not None
    )
    return next((name for name in named if name is not None), None)
