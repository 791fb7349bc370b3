"""The name of an entity in its URN, and the words of a name."""

import re
from typing import Final

from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison

#: What separates the words of a name: the separators of words and of parts of paths (spec SEARCH-7), as an expression.
SEPARATOR: Final = r"[-_,;.\s/\\:#]"
_SEPARATORS: Final = re.compile(SEPARATOR)


def get_folded_name(urn: str, namespace: str, type_: str) -> str:
    """Return the folded name in a URN: of a dataset without its platform, namespace and fabric, else the last part."""
    parts = urn.split(":", 3)[-1].removesuffix(")").split(",")
    name = parts[1] if type_ == "dataset" and len(parts) == 3 else parts[-1]
    return fold_text_for_comparison(name.removeprefix(f"{namespace}."))


def split_name_words(name: str) -> list[str]:
    """Return what separators separate in a name; empty texts where two separators are adjacent, or at an end."""
    return _SEPARATORS.split(name)
