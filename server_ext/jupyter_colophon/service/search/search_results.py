"""Accumulate and rank the matches of a search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat

from jupyter_colophon.core.search.search import Group
from jupyter_colophon.service.search.name_words import NameWords
from jupyter_colophon.storage.spi import Match

_TYPE_ORDER = {name: at for at, name in enumerate(("dataset", "dataJob", "dataFlow", "instance", "namespace"))}
_OTHERS = len(_TYPE_ORDER)
#: Weights that keep each criterion above the next: BM25's scores of 50 terms stay below the least of them.
_PARTLY_NAMED_WEIGHT, _TYPE_WEIGHT, _TERM_WEIGHT, _NAMED_WEIGHT, _LISTING_WEIGHT = 5e3, 1e4, 1e6, 1e8, 1e9


@dataclass(slots=True)
class MatchCollector:
    """The matches so far, by URN, with the query terms that found them (as bits) and their scores."""

    matches: dict[str, Match] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    #: Those whose name is a term of the query, and those with a name in an aspect that contains a word of it.
    named: set[str] = field(default_factory=set)
    partly_named: set[str] = field(default_factory=set)
    capped: bool = False
    #: All matches, counted in groups, if not all are ranked.
    groups: list[Group] = field(default_factory=list)

    def add_matches_of_term(self, matches: Sequence[Match], term: int, score: float | None = None) -> None:
        """Add the matches of a term; `score` replaces their own scores."""
        bit = 1 << term
        if not self.matches:
            urns = [match.urn for match in matches]
            self.matches = dict(zip(urns, matches, strict=True))
            self.terms = dict.fromkeys(urns, bit)
            scores = repeat(score, len(urns)) if score is not None else [match.score for match in matches]
            self.scores = dict(zip(urns, scores, strict=True))
            return
        for match in matches:
            urn = match.urn
            self.matches[urn] = match
            self.terms[urn] = self.terms.get(urn, 0) | bit
            self.scores[urn] = self.scores.get(urn, 0.0) + (match.score if score is None else score)

    def select_best_matches(
        self, matches: list[Match], count: int, *, by_type: bool, name_words: NameWords | None = None
    ) -> list[Match]:
        """Return the best `count`: an exact name, then more terms (spec SEARCH-13), then the type, a name with one of the
        words, the score, the URN.

        Among types, datasets come first, then programs, then the rest. With `by_type` the type counts before everything.
        Only the best are put in order.
        """
        if not matches or count <= 0:
            return []
        type_weight = _LISTING_WEIGHT if by_type else _TYPE_WEIGHT
        partly_named = set() if name_words is None else self.partly_named | name_words.find_named_urns(matches)
        scores, terms, named = self.scores, self.terms, self.named
        weights_of_types = {
            type_: type_weight * _TYPE_ORDER.get(type_, _OTHERS) for type_ in {match.type for match in matches}
        }
        weights = [
            scores[urn]
            + _TERM_WEIGHT * terms[urn].bit_count()
            + _NAMED_WEIGHT * (urn in named)
            + _PARTLY_NAMED_WEIGHT * (urn in partly_named)
            - weights_of_types[type_]
            for urn, _, type_, *_ in matches
        ]
        least = sorted(weights, reverse=True)[:count][-1]
        best = [(-weight, match.urn, match) for weight, match in zip(weights, matches, strict=True) if weight >= least]
        return [match for _, _, match in sorted(best)[:count]]
