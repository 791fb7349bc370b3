"""Reads that return None if the entity does not exist."""

from collections.abc import Callable

from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import RequestFailed


def read_or_none_if_absent(read: Callable[[], Document]) -> Document | None:
    """Return what `read` returns; None if the catalog has no such thing. Raises what `read` raises otherwise."""
    try:
        return read()
    except RequestFailed as refusal:
        if refusal.is_absence:
            return None
        raise


def find_entity(operations: Operations, urn: str, *aspects: str, timeout_s: float | None = None) -> Document | None:
    """Return an entity (`Entity`) with these aspects, or with all of them if none is named; None if it is absent."""
    return read_or_none_if_absent(
        lambda: operations.read_entity(urn, aspects=",".join(aspects) or None, timeout_s=timeout_s)
    )
