"""Accumulate and rank the matches of a search."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from operator import add

from jupyter_colophon.core.search.search import CountedMatches, MatchGroups
from jupyter_colophon.service.search.name_words import NameWords
from jupyter_colophon.storage.search.match_urns import MatchUrns
from jupyter_colophon.storage.spi import Match, MatchColumns

_TYPE_ORDER = {name: at for at, name in enumerate(("dataset", "dataJob", "dataFlow", "instance", "namespace"))}
_OTHERS = len(_TYPE_ORDER)
#: Weights that keep each criterion above the next: BM25's scores of 50 terms stay below the least of them.
_PARTLY_NAMED_WEIGHT, _TYPE_WEIGHT, _TERM_WEIGHT, _NAMED_WEIGHT, _LISTING_WEIGHT = 5e3, 1e4, 1e6, 1e8, 1e9


#: What identifies a match: the number of its document, or the URN of an entity as it was at another time.
MatchKey = int | str


def get_match_key(match: Match) -> MatchKey:
    """Return what identifies a match."""
    return match.number or match.urn


@dataclass(slots=True)
class MatchCollector:
    """The matches so far, as parallel lists, with the query terms that found them (as bits) and their scores.

    A match is known by its position in these lists. Its URN is read when it is needed, in the same transaction.
    """

    groups: MatchGroups = field(default_factory=MatchGroups)
    numbers: list[int] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    #: The matches as they were at another time, by URN.
    past: dict[str, Match] = field(default_factory=dict)
    #: Those whose name is a term of the query, and those with a name in an aspect that contains a word of it.
    named: set[MatchKey] = field(default_factory=set)
    partly_named: set[MatchKey] = field(default_factory=set)
    capped: bool = False
    #: All matches, if not all are ranked.
    counted: CountedMatches = field(default_factory=CountedMatches)
    #: The URN of each match, "" if it was not read.
    _urns: list[str] = field(default_factory=list)
    #: The columns of URNs that were not read.
    _unread: list[MatchUrns] = field(default_factory=list)
    _positions: dict[MatchKey, int] = field(default_factory=dict)

    def add_matches_of_term(self, matches: Sequence[Match], term: int, score: float | None = None) -> None:
        """Add the matches of a term; `score` replaces their own scores."""
        self.past |= {match.urn: match for match in matches if not match.number}
        columns = MatchColumns.from_matches(matches, len(matches))
        self.add_columns_of_term(columns if score is None else columns._replace(scores=[score] * len(matches)), term)

    def add_columns_of_term(self, columns: MatchColumns, term: int) -> None:
        """Add the ranked matches of a term."""
        bit, (urn_column, scores, (numbers, groups)) = 1 << term, columns
        urns = [""] * len(urn_column) if isinstance(urn_column, MatchUrns) else list(urn_column)
        if isinstance(urn_column, MatchUrns):
            self._unread.append(urn_column)
        if not self.numbers:
            self._urns, self.scores, self.terms = urns, list(scores), [bit] * len(urns)
            self.numbers, self.groups = list(numbers[: len(urns)]), groups.select_matches(range(len(urns)))
            return
        for urn, score, number, group in zip(urns, scores, numbers, groups, strict=False):
            key = number or urn
            at = self._find_position_of_key(key)
            if at is None:
                at = self._positions[key] = len(self._urns)
                self._urns.append(urn)
                self.groups.append(group)
                self.numbers.append(number)
                self.terms.append(0)
                self.scores.append(0.0)
            self.terms[at] |= bit
            self.scores[at] += score

    def read_urns(self, positions: Sequence[int]) -> list[str]:
        """Return the URNs of the matches at these positions."""
        if unread := [at for at in positions if not self._urns[at]]:
            urns = self._unread[0].read([self.numbers[at] for at in unread])
            for at, urn in zip(unread, urns, strict=True):
                self._urns[at] = urn
        return [self._urns[at] for at in positions]

    def read_matches(self, positions: Sequence[int]) -> list[Match]:
        """Return the matches at these positions."""
        groups, found = self.groups.list_distinct(), []
        for at, urn in zip(positions, self.read_urns(positions), strict=True):
            group = groups[self.groups.positions[at]]
            found.append(self.past.get(urn) or Match(urn, *group, self.numbers[at], self.scores[at]))
        return found

    def read_positions_by_urn(self) -> dict[str, int]:
        """Return the position of each match, by its URN."""
        positions = range(len(self.numbers))
        return dict(zip(self.read_urns(positions), positions, strict=True))

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
        best = [(-weight, at) for weight, at in zip(weights, positions, strict=True) if weight >= least]
        urns = self.read_urns([at for _, at in best])
        ordered = sorted((weight, urn, at) for (weight, at), urn in zip(best, urns, strict=True))
        return self.read_matches([at for *_, at in ordered[:count]])

    def _find_position_of_key(self, key: MatchKey) -> int | None:
        if not self._positions:
            self._positions = dict(zip(self._list_keys(), range(len(self.numbers)), strict=True))
        return self._positions.get(key)

    def _list_keys(self) -> Sequence[MatchKey]:
        if not self.past:
            return self.numbers
        return [number or urn for number, urn in zip(self.numbers, self._urns, strict=True)]

    def _compute_weights(self, *, by_type: bool, name_words: NameWords | None) -> list[float]:
        """Return the weights of all matches; a higher one is a better match."""
        type_weight = _LISTING_WEIGHT if by_type else _TYPE_WEIGHT
        of_groups = [-type_weight * _TYPE_ORDER.get(type_, _OTHERS) for _, type_ in self.groups.list_distinct()]
        of_terms = {terms: _TERM_WEIGHT * terms.bit_count() for terms in set(self.terms)}
        weights = list(map(add, self.scores, map(of_terms.__getitem__, self.terms)))
        weights = list(map(add, weights, map(of_groups.__getitem__, self.groups.positions)))
        partly_named = self._find_positions(self.partly_named)
        if name_words is not None:
            partly_named |= self._find_positions_with_name_words(name_words)
        for positions, weight in (
            (self._find_positions(self.named), _NAMED_WEIGHT),
            (partly_named, _PARTLY_NAMED_WEIGHT),
        ):
            for at in positions:
                weights[at] += weight
        return weights

    def _find_positions(self, keys: Iterable[MatchKey]) -> set[int]:
        """Return the positions of those of these matches that were added."""
        return {at for key in keys if (at := self._find_position_of_key(key)) is not None}

    def _find_positions_with_name_words(self, name_words: NameWords) -> set[int]:
        candidates = self._list_candidates_of_names()
        groups = self.groups.list_distinct()
        named = name_words.find_named_positions(
            self.read_urns(candidates), [groups[self.groups.positions[at]] for at in candidates]
        )
        return {candidates[at] for at in named}

    def _list_candidates_of_names(self) -> Sequence[int]:
        """Return the positions of the matches whose names may have words of the query."""
        if any(urns.named is None for urns in self._unread):
            return range(len(self.numbers))
        named = {number for urns in self._unread for number in urns.named or ()}
        if self._unread and not named and not any(self._urns):
            return ()
        return [
            at for at, (urn, number) in enumerate(zip(self._urns, self.numbers, strict=True)) if urn or number in named
        ]
