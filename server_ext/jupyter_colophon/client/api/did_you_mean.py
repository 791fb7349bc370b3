"""What else may have been meant by the name of a dataset that nobody heard of."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.problems import ClientError

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Names that are looked at, of those that begin alike: in a large namespace not all of them.
_LOOKED_AT = 200
#: Longer names are compared with none.
_LONGEST = 200
#: From here on (1 is the same) two names are taken for one that was mistyped.
_LIKENESS = 0.8


def alike(catalog: "Operations", urn: str) -> str | None:
    """The URN of the dataset in the same namespace whose name is spelled most alike; None where none is, or none can be asked for.

    Two pages of names at most are looked at: those with the same first half, then those with the same first character.
    """
    try:
        told = find_entity(catalog, urn, "status")
        if told is None or told["type"] != "dataset" or len(told["name"]) > _LONGEST:
            return None
        name = str(told["name"])
        for prefix in (name[: len(name) // 2], name[:1]):
            page = catalog.list_entities(
                type="dataset", namespace=told["namespace"], prefix=prefix or None, limit=_LOOKED_AT
            )["entities"]
            others = {one["name"]: one["urn"] for one in page if one["urn"] != urn}
            if near := get_close_matches(name, others, 1, _LIKENESS):
                return str(others[near[0]])
    except ClientError:
        # What was asked for is done; this is only a hint.
        return None
    return None
