"""Find words of a query in the names of matches, without reading the entities."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.search_index_terms import NAME_KEY, fold_text_for_comparison
from jupyter_colophon.core.search.query_language import SearchTerm
from jupyter_colophon.storage.spi import Match

#: What separates the words of a name: the separators of words and of parts of paths (spec SEARCH-7).
_SEPARATOR = r"[-_,;.\s/\\:#]"


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words of a query that can be in a name, as an expression over names in URNs."""

    expression: re.Pattern[str]

    def contains_words(self, match: Match) -> bool:
        """Return whether one of the words is in the name, which the URN contains."""
        return self.expression.search(_get_name(match)) is not None


def find_name_words(terms: Iterable[SearchTerm]) -> NameWords | None:
    """Return the words of terms without a key, or with the key of names; None if there is none."""
    named = [term for term in terms if term.key in (None, NAME_KEY) and term.pattern.kind != "any"]
    if not named:
        return None
    return NameWords(re.compile(f"(?:^|{_SEPARATOR})(?:{'|'.join(map(_build_name_expression, named))})"))


def _build_name_expression(term: SearchTerm) -> str:
    end = "" if term.pattern.kind == "prefix" else f"(?:$|{_SEPARATOR})"
    return re.escape(fold_text_for_comparison(encode_urn_text(term.pattern.text))) + end


def _get_name(match: Match) -> str:
    """Return the folded name in a URN: of a dataset without its platform, namespace and fabric, else the last part."""
    parts = match.urn.split(":", 3)[-1].removesuffix(")").split(",")
    name = parts[1] if match.type == "dataset" and len(parts) == 3 else parts[-1]
    return fold_text_for_comparison(name.removeprefix(f"{match.namespace}."))
