"""Containment of entities: datasets contain fields, applications contain programs (spec WRITE-14)."""

from typing import Final

from jupyter_colophon.core.cdap.names import WORDS, parse_v3_path
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import IdentityRules, Urn, get_custom_key_pairs

#: Types whose URN begins with the URN of their parent, by the parent's type.
CHILD_TYPES: Final = {"dataset": "schemaField", "dataFlow": "dataJob"}
#: Types that exist as soon as their parent exists, without being created.
IMPLICIT_TYPES: Final = frozenset({"schemaField", "custom"})


def get_parent_urn(urn: Urn, identity: IdentityRules) -> Urn | None:
    """Return the entity that contains this one; None if there is none. For a custom entity, it is its longest known
    prefix.
    """
    if urn.type in CHILD_TYPES.values():
        return urn.parse_part_as_urn(0)
    if urn.type != "custom":
        return None
    words = [text for key, value in get_custom_key_pairs(urn) for text in (WORDS.get(key, key), value)]
    for length in range(len(words) - 2, 0, -2):
        try:
            parent = parse_v3_path(words[:length], identity)
        except InvalidName:
            continue
        if parent.type not in ("custom", "dataProcessInstance"):
            return parent
    return None


def get_urn_prefix_of_children(urn: Urn) -> str | None:
    """Return the prefix that the URNs of exactly the children of a dataset or application share; None for other types."""
    child_type = CHILD_TYPES.get(urn.type)
    return None if child_type is None else f"urn:li:{child_type}:({urn},"
