"""Find words of a query in the names of matches, without reading the entities."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.search_index_terms import NAME_KEY, fold_text_for_comparison
from jupyter_colophon.core.search.names_in_urns import SEPARATOR, get_folded_name
from jupyter_colophon.core.search.query_language import SearchPattern, SearchTerm
from jupyter_colophon.core.search.search import MatchGroup


@dataclass(frozen=True)
class NameWords:
    """The words of a query that can be in a name, as they are in URNs."""

    patterns: tuple[SearchPattern, ...]

    def find_named_positions(self, urns: Sequence[str], groups: Iterable[MatchGroup]) -> list[int]:
        """Return the positions of those of these URNs of matches with one of the words in their name, which the URN
        contains.
        """
        # Often no name has a word: then no name is parsed, and no expression compiled.
        if not self._may_contain_words("\n".join(urns)):
            return []
        return [
            at
            for at, (urn, group) in enumerate(zip(urns, groups, strict=True))
            if self._may_contain_words(urn) and self._expression.search(get_folded_name(urn, *group)) is not None
        ]

    def _may_contain_words(self, urns: str) -> bool:
        """Return whether one of the words may be in these URNs."""
        lower = urns.lower()
        return not urns.isascii() or any(pattern.text in lower for pattern in self.patterns)

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        ends = {"exact": f"(?:$|{SEPARATOR})", "prefix": ""}
        words = (re.escape(pattern.text) + ends[pattern.kind] for pattern in self.patterns)
        return re.compile(f"(?:^|{SEPARATOR})(?:{'|'.join(words)})")


def find_name_words(terms: Iterable[SearchTerm]) -> NameWords | None:
    """Return the words of terms without a key, or with the key of names; None if there is none."""
    patterns = tuple(
        SearchPattern(fold_text_for_comparison(encode_urn_text(term.pattern.text)), term.pattern.kind)
        for term in terms
        if term.key in (None, NAME_KEY) and term.pattern.kind != "any"
    )
    return NameWords(patterns) if patterns else None
