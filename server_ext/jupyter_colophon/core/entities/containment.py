"""Which entity holds another one: a dataset its fields, an application its programs (spec WRITE-14)."""

from typing import Final

from jupyter_colophon.core.cdap.names import WORDS, from_v3
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Identity, Urn, pairs_of

#: Types whose URN begins with the URN of what holds them, by the holder's type.
HELD_BY_NAME: Final = {"dataset": "schemaField", "dataFlow": "dataJob"}
#: Types that exist as soon as what holds them does: nobody has to make them known first.
UNDECLARED: Final = frozenset({"schemaField", "custom"})


def holder_of(urn: Urn, identity: Identity) -> Urn | None:
    """The entity that holds this one; None for one that stands alone. A custom entity's is its longest known beginning."""
    if urn.type in HELD_BY_NAME.values():
        return urn.nested(0)
    if urn.type != "custom":
        return None
    words = [text for key, value in pairs_of(urn) for text in (WORDS.get(key, key), value)]
    for length in range(len(words) - 2, 0, -2):
        try:
            found = from_v3(words[:length], identity)
        except InvalidName:
            continue
        if found.type not in ("custom", "dataProcessInstance"):
            return found
    return None


def held_prefix(urn: Urn) -> str | None:
    """What the URNs of all that a dataset or an application holds begin with, and no other's; None for other types."""
    held = HELD_BY_NAME.get(urn.type)
    return None if held is None else f"urn:li:{held}:({urn},"
