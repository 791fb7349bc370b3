"""Suggest an existing dataset for an unknown name."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.problems import ClientError

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
        entity = find_entity(catalog, urn, "status")
        if entity is None or entity["type"] != "dataset" or len(entity["name"]) > _LONGEST:
            return None
        name = str(entity["name"])
        for prefix in (name[: len(name) // 2], name[:1]):
            page = catalog.list_entities(
                type="dataset", namespace=entity["namespace"], prefix=prefix or None, limit=_COMPARED_MOST
            )["entities"]
            others = {one["name"]: one["urn"] for one in page if one["urn"] != urn}
            if near := get_close_matches(name, others, 1, _SIMILARITY_LEAST):
                return str(others[near[0]])
    except ClientError:
        # The suggestion is optional: ignore errors.
        return None
    return None
