"""Accumulate and rank the matches of a search."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import add

from jupyter_colophon.core.search.search import CountedMatches, MatchGroups
from jupyter_colophon.service.search.name_words import NameWords
from jupyter_colophon.storage.spi import Match, MatchColumns

_TYPE_ORDER = {name: at for at, name in enumerate(("dataset", "dataJob", "dataFlow", "instance", "namespace"))}
_OTHERS = len(_TYPE_ORDER)
#: Weights that keep each criterion above the next: BM25's scores of 50 terms stay below the least of them.
_PARTLY_NAMED_WEIGHT, _TYPE_WEIGHT, _TERM_WEIGHT, _NAMED_WEIGHT, _LISTING_WEIGHT = 5e3, 1e4, 1e6, 1e8, 1e9


@dataclass(slots=True)
class MatchCollector:
    """The matches so far, as parallel lists, with the query terms that found them (as bits) and their scores.

    A match is known by its position in these lists.
    """

    urns: list[str] = field(default_factory=list)
    groups: MatchGroups = field(default_factory=MatchGroups)
    numbers: list[int] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    #: The matches as they were at another time, by URN.
    past: dict[str, Match] = field(default_factory=dict)
    #: Those whose name is a term of the query, and those with a name in an aspect that contains a word of it.
    named: set[str] = field(default_factory=set)
    partly_named: set[str] = field(default_factory=set)
    capped: bool = False
    #: All matches, if not all are ranked.
    counted: CountedMatches = field(default_factory=CountedMatches)
    _positions: dict[str, int] = field(default_factory=dict)

    def add_matches_of_term(self, matches: Sequence[Match], term: int, score: float | None = None) -> None:
        """Add the matches of a term; `score` replaces their own scores."""
        self.past |= {match.urn: match for match in matches if not match.number}
        columns = MatchColumns.from_matches(matches, len(matches))
        self.add_columns_of_term(columns if score is None else columns._replace(scores=[score] * len(matches)), term)

    def add_columns_of_term(self, columns: MatchColumns, term: int) -> None:
        """Add the ranked matches of a term."""
        bit, (urns, scores, (numbers, groups)) = 1 << term, columns
        if not self.urns:
            self.urns, self.scores, self.terms = list(urns), list(scores), [bit] * len(urns)
            self.numbers, self.groups = list(numbers[: len(urns)]), groups.select_matches(range(len(urns)))
            return
        for urn, score, number, group in zip(urns, scores, numbers, groups, strict=False):
            at = self.find_position(urn)
            if at is None:
                at = self._positions[urn] = len(self.urns)
                self.urns.append(urn)
                self.groups.append(group)
                self.numbers.append(number)
                self.terms.append(0)
                self.scores.append(0.0)
            self.terms[at] |= bit
            self.scores[at] += score

    def find_position(self, urn: str) -> int | None:
        """Return the position of a match, None if it was not found."""
        if not self._positions:
            self._positions = dict(zip(self.urns, range(len(self.urns)), strict=True))
        return self._positions.get(urn)

    def get_match(self, position: int) -> Match:
        """Return the match at a position."""
        urn, group = self.urns[position], self.groups.get_group(position)
        return self.past.get(urn) or Match(urn, *group, self.numbers[position], self.scores[position])

    def select_best_matches(
        self, positions: Sequence[int], count: int, *, by_type: bool, name_words: NameWords | None = None
    ) -> list[Match]:
        """Return the best `count`: an exact name, then more terms (spec SEARCH-13), then the type, a name with one of the
        words, the score, the URN.

        Among types, datasets come first, then programs, then the rest. With `by_type` the type counts before everything.
        Only the best are put in order.
        """
        if not positions or count <= 0:
            return []
        weights = self._compute_weights(by_type=by_type, name_words=name_words)
        if len(positions) < len(weights):
            weights = [weights[at] for at in positions]
        least = nlargest(count, weights)[-1]
        best = [(-weight, self.urns[at], at) for weight, at in zip(weights, positions, strict=True) if weight >= least]
        return [self.get_match(at) for *_, at in sorted(best)[:count]]

    def _compute_weights(self, *, by_type: bool, name_words: NameWords | None) -> list[float]:
        """Return the weights of all matches; a higher one is a better match."""
        type_weight = _LISTING_WEIGHT if by_type else _TYPE_WEIGHT
        of_groups = [-type_weight * _TYPE_ORDER.get(type_, _OTHERS) for _, type_ in self.groups.list_distinct()]
        of_terms = {terms: _TERM_WEIGHT * terms.bit_count() for terms in set(self.terms)}
        weights = list(map(add, self.scores, map(of_terms.__getitem__, self.terms)))
        weights = list(map(add, weights, map(of_groups.__getitem__, self.groups.positions)))
        partly_named = set() if name_words is None else name_words.find_named_urns(self.urns, self.groups)
        for urns, weight in ((self.named, _NAMED_WEIGHT), (self.partly_named | partly_named, _PARTLY_NAMED_WEIGHT)):
            for urn in urns:
                if (at := self.find_position(urn)) is not None:
                    weights[at] += weight
        return weights
