"""Which namespaces the records of instances name (core/instances/instance_namespaces.py)."""

from typing import Final

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.instances.instance_namespaces import namespace_in
from jupyter_colophon.storage.spi import Range, TableContext

ASPECT: Final = "instance"
#: How many versions are looked through for the newest that names one: that of a removal or of a broken file does not.
_VERSIONS_MAX: Final = 20


def namespace_of(tx: TableContext, urn: str) -> str | None:
    """Return the namespace of an instance, or the last one that it had; None where it never named any."""
    row = tx.table("aspects").read((urn, ASPECT))
    if row is not None and row["value"] is not None and (found := namespace_in(stored(row["value"]))) is not None:
        return found
    versions = tx.table("aspect_versions").scan(Range.prefix(urn, ASPECT), limit=_VERSIONS_MAX, order="desc")
    named = (namespace_in(stored(one["value"])) for one in versions if one["value"] is not None)
    return next((name for name in named if name is not None), None)
