"""Suggest an existing dataset for an unknown name: all clients use the same sentences."""

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.missing_permissions import explain_missing_permissions
from jupyter_colophon.client.problems import ClientError, EntityNotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.short_names import shorten_urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Maximum number of names that are compared per prefix.
_COMPARED_MOST = 200
#: Longer names are not compared.
_LONGEST = 200
#: Minimum similarity (1: equal) of two names to suggest one for the other.
_SIMILARITY_LEAST = 0.8


def find_similar_dataset(catalog: "Operations", urn: str) -> str | None:
    """Return the URN of the dataset in the same namespace with the most similar name, or None.

    At most two pages of names are compared: those with the same first half, then those with the same first character.
    """
    try:
        namespace, name = _get_dataset_namespace_and_name(catalog, urn)
        if not 0 < len(name) <= _LONGEST:
            return None
        for prefix in (name[: len(name) // 2], name[:1]):
            page = catalog.list_entities(
                type="dataset", namespace=namespace, prefix=prefix or None, limit=_COMPARED_MOST
            )["entities"]
            others = {item["name"]: item["urn"] for item in page if item["urn"] != urn}
            if near := get_close_matches(name, others, 1, _SIMILARITY_LEAST):
                return str(others[near[0]])
    except ClientError:
        # The suggestion is optional: ignore errors.
        return None
    return None


def explain_missing_entity(catalog: "Operations", urn: str) -> str:
    """Return the message for an entity that does not exist, or that the user may not read.

    It suggests the file that the name may mean, or a similar dataset, or states that the user may read nothing.
    """
    name = shorten_urn(urn)
    path = os.path.abspath(name)
    # A relative path is read as a table: `totals.csv` is the table `csv` of the namespace `totals`.
    similar = path if path != name and os.path.exists(path) else find_similar_dataset(catalog, urn)
    missing = f"{Urn.parse(urn).type} {name!r} not found"
    if similar is not None:
        return f"{missing}; did you mean {shorten_urn(similar)!r}?"
    notice = explain_missing_permissions(catalog)
    return f"{missing}. {notice}" if notice else missing


def require_entity(catalog: "Operations", urn: str) -> None:
    """Raise EntityNotFound if an entity does not exist, or the user may not read it."""
    if find_entity(catalog, urn, "status") is None:
        raise EntityNotFound(explain_missing_entity(catalog, urn))


def _get_dataset_namespace_and_name(catalog: "Operations", urn: str) -> tuple[str | None, str]:
    """Return the namespace and the name of a dataset; an empty name for other entities."""
    if Urn.parse(urn).type != "dataset":
        return None, ""
    entity = find_entity(catalog, urn, "status")
    if entity is not None:
        return entity["namespace"], str(entity["name"])
    name = shorten_urn(urn)
    if name.startswith("/"):
        return None, name
    namespace, dot, rest = name.partition(".")
    return (namespace, rest) if dot else (None, name)
