"""The state of a dataset in the catalog before it is crawled."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.core.identity import names
from jupyter_colophon.spark.crawl.documents import ASPECT

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

CONFIDENTIAL = "confidential"
"""The tag of columns and datasets whose values are not published."""


@dataclass(frozen=True, slots=True)
class CatalogState:
    """State of a dataset. `fingerprint` is that of the last crawl; `is_new` if it was never crawled."""

    is_new: bool
    fingerprint: str | None
    is_confidential: bool
    confidential: frozenset[str]


def read_catalog_state(catalog: "Operations", urn: str) -> CatalogState:
    """Read the state of a dataset. Raises ClientError."""
    note = read_stored_aspect(catalog, urn, ASPECT)
    fields = (
        field
        for field in _list_described_fields(catalog, urn)
        if _is_confidential(catalog, _build_field_urn(urn, field))
    )
    return CatalogState(
        is_new=note.version < 0,
        fingerprint=note.value.get("fingerprint"),
        is_confidential=_is_confidential(catalog, urn),
        confidential=frozenset(fields),
    )


def _list_described_fields(catalog: "Operations", urn: str) -> list[str]:
    try:
        return list(catalog.list_fields(urn)["fields"])
    except RequestFailed as refusal:
        if refusal.is_absence:
            return []
        raise


def _build_field_urn(urn: str, field: str) -> str:
    return str(names.make_field_urn(names.Urn.parse(urn), field))


def _is_confidential(catalog: "Operations", urn: str) -> bool:
    metadata: Mapping[str, Any] = read_or_none_if_absent(lambda: catalog.read_entity_metadata(urn)) or {}
    tags = (tag for scope in metadata.values() if isinstance(scope, dict) for tag in scope.get("tags", ()))
    return any(str(tag).casefold() == CONFIDENTIAL for tag in tags)
