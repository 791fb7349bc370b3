"""Find words of a query in the names of matches, without reading the entities."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.search_index_terms import NAME_KEY, fold_text_for_comparison
from jupyter_colophon.core.search.query_language import SearchTerm
from jupyter_colophon.core.search.search import MatchGroup

#: What separates the words of a name: the separators of words and of parts of paths (spec SEARCH-7).
_SEPARATOR = r"[-_,;.\s/\\:#]"


@dataclass(frozen=True, slots=True)
class NameWords:
    """The words of a query that can be in a name, folded, and a regular expression for them over names in URNs."""

    words: tuple[str, ...]
    expression: str

    def find_named_urns(self, urns: Sequence[str], groups: Iterable[MatchGroup]) -> set[str]:
        """Return those of these URNs of matches with one of the words in their name, which the URN contains."""
        # Often no name has a word: then no name is parsed, and no expression compiled.
        if not self._may_contain_words("\n".join(urns)):
            return set()
        expression = re.compile(self.expression)
        return {
            urn
            for urn, group in zip(urns, groups, strict=True)
            if self._may_contain_words(urn) and expression.search(_get_name(urn, group)) is not None
        }

    def _may_contain_words(self, urns: str) -> bool:
        """Return whether one of the words may be in these URNs."""
        return not urns.isascii() or any(map(urns.lower().__contains__, self.words))


def find_name_words(terms: Iterable[SearchTerm]) -> NameWords | None:
    """Return the words of terms without a key, or with the key of names; None if there is none."""
    named = [term for term in terms if term.key in (None, NAME_KEY) and term.pattern.kind != "any"]
    if not named:
        return None
    words = [fold_text_for_comparison(encode_urn_text(term.pattern.text)) for term in named]
    ends = ["" if term.pattern.kind == "prefix" else f"(?:$|{_SEPARATOR})" for term in named]
    expressions = (re.escape(word) + end for word, end in zip(words, ends, strict=True))
    return NameWords(tuple(words), f"(?:^|{_SEPARATOR})(?:{'|'.join(expressions)})")


def _get_name(urn: str, group: MatchGroup) -> str:
    """Return the folded name in a URN: of a dataset without its platform, namespace and fabric, else the last part."""
    namespace, type_ = group
    parts = urn.split(":", 3)[-1].removesuffix(")").split(",")
    name = parts[1] if type_ == "dataset" and len(parts) == 3 else parts[-1]
    return fold_text_for_comparison(name.removeprefix(f"{namespace}."))
