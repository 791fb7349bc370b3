"""The names of the locks of writing transactions (decision 54)."""

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.event import OriginalName


def get_lock_name(urn: Urn) -> str:
    """Return the name of the lock of an entity: a dataset and its fields have one."""
    return str(urn.parse_part_as_urn(0) if urn.type == "schemaField" else urn)


def make_lock_name_of_openlineage_name(kind: str, original_name: OriginalName) -> str:
    """Return the name of the lock of a name in OpenLineage, which several entities of a type may have."""
    return f"openlineage {kind} {original_name.namespace} {original_name.name}"
