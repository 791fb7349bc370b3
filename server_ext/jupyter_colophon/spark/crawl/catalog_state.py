"""The state of a dataset in the catalog before it is crawled."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.confidential_columns import read_confidential_columns
from jupyter_colophon.core.model.confidential import ConfidentialColumns
from jupyter_colophon.spark.crawl.documents import ASPECT

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations


@dataclass(frozen=True, slots=True)
class CatalogState:
    """State of a dataset. `fingerprint` is that of the last crawl; `is_new` if it was never crawled."""

    is_new: bool
    fingerprint: str | None
    confidential: ConfidentialColumns


def read_catalog_state(catalog: "Operations", urn: str) -> CatalogState:
    """Read the state of a dataset. Raises ClientError."""
    note = read_stored_aspect(catalog, urn, ASPECT)
    return CatalogState(
        is_new=note.version < 0,
        fingerprint=note.value.get("fingerprint"),
        confidential=read_confidential_columns(catalog, urn),
    )
