"""Whether a namespace was created after a change: then the change is about an earlier namespace of the same name.

Changes are numbered in the order of commits, so no clock decides this.
"""

from typing import Final

from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.storage.spi import TableContext

_PAGE: Final = 200
_KEY_ASPECT: Final = "namespaceKey"


def is_namespace_created_after(tx: TableContext, name: str, seq: int) -> bool:
    """Return whether the change log has a creation of a namespace after a number."""
    where = {"urn": str(make_namespace_urn(name))}
    while rows := tx.log.read_changes(seq, _PAGE, where):
        if any(row["aspect"] == _KEY_ASPECT and row["operation"] == "create" for row in rows):
            return True
        seq = rows[-1]["seq"]
    return False
