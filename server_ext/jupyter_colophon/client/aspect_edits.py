"""Read an aspect with its version, and write it if the version is unchanged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed

#: How often an edit is tried when others write the same aspect at the same time.
EDIT_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class StoredAspect:
    """An aspect's value and its version; version -1 and an empty value if there is none."""

    value: Document
    version: int


def read_stored_aspect(operations: Operations, urn: str, aspect: str, timeout_s: float | None = None) -> StoredAspect:
    """Return an aspect with its version, also of an entity that does not exist."""
    entity = find_entity(operations, urn, aspect, timeout_s=timeout_s) or {}
    stored = entity.get("aspects", {}).get(aspect)
    return StoredAspect(stored["value"], stored["version"]) if stored else StoredAspect({}, -1)


def write_stored_aspect(
    operations: Operations, urn: str, aspect: str, value: Mapping[str, Any], version: int
) -> Document:
    """Write an aspect if its version is still `version`; -1 means that it must not exist. Answer: `WriteResult`.

    Raises `RequestFailed` with status 412 if another writer was faster.
    """
    if version == -1:
        return operations.write_aspect(urn, aspect, value, if_none_match="*")
    return operations.write_aspect(urn, aspect, value, if_match=f'"{version}"')


def edit_aspect_with_retries(
    operations: Operations, urn: str, aspect: str, edit: Callable[[Document], Document]
) -> Document:
    """Read an aspect, write the result of `edit`, and repeat both if another writer was faster. Answer: `WriteResult`.

    `edit` gets the current value (empty if there is none), must not change it, and may be called several times.
    """
    attempts = 0
    while True:
        attempts += 1
        stored = read_stored_aspect(operations, urn, aspect)
        try:
            return write_stored_aspect(operations, urn, aspect, edit(stored.value), stored.version)
        except RequestFailed as refusal:
            if refusal.status != 412 or attempts == EDIT_ATTEMPTS:
                raise
