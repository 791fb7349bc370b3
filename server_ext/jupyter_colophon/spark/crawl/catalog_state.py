"""What the catalog says of a dataset before it is looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import none_if_absent
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.core.identity import names
from jupyter_colophon.spark.crawl.documents import ASPECT

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

CONFIDENTIAL = "confidential"
"""The tag of columns and datasets of which no values are told."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known. `mark` is the fingerprint of the last crawl; `is_new` where there was none."""

    is_new: bool
    mark: str | None
    is_confidential: bool
    confidential: frozenset[str]


def known(catalog: "Operations", urn: str) -> Known:
    """Ask. Raises ClientError."""
    note = read_stored_aspect(catalog, urn, ASPECT)
    fields = (field for field in _fields(catalog, urn) if _is_confidential(catalog, _field_urn(urn, field)))
    return Known(
        is_new=note.version < 0,
        mark=note.value.get("fingerprint"),
        is_confidential=_is_confidential(catalog, urn),
        confidential=frozenset(fields),
    )


def _fields(catalog: "Operations", urn: str) -> list[str]:
    try:
        return list(catalog.list_fields(urn)["fields"])
    except RequestFailed as refusal:
        if refusal.is_absence:
            return []
        raise


def _field_urn(urn: str, field: str) -> str:
    return str(names.field(names.Urn.parse(urn), field))


def _is_confidential(catalog: "Operations", urn: str) -> bool:
    told: Mapping[str, Any] = none_if_absent(lambda: catalog.read_entity_metadata(urn)) or {}
    tags = (tag for scope in told.values() if isinstance(scope, dict) for tag in scope.get("tags", ()))
    return any(str(tag).casefold() == CONFIDENTIAL for tag in tags)
