"""Search: full text and `key:value` together, ranked, with reasons and facets (catalog.md 4.3, 4.4)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import chain, islice
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entity import Aspect, EntitySummary
from jupyter_colophon.core.errors import IllegalQuery
from jupyter_colophon.core.names import NO_NAMESPACE
from jupyter_colophon.core.query import Pattern, Query, Term, parse_query
from jupyter_colophon.core.registry import Registry
from jupyter_colophon.core.search import Hit, KeyCount, Reason, SearchAnswer, SearchQuestion
from jupyter_colophon.core.terms import ValueRow, filter_term, fold, fts_word, tokens, value_rows
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.storage import aspects, values
from jupyter_colophon.storage.ending import lasting
from jupyter_colophon.storage.index import EVERYTHING
from jupyter_colophon.storage.spi import Match, StorageProvider, TableContext, Words

#: Only the newest matches are ranked; beyond that ranking costs seconds (catalog.md 4.4).
RANKED_MAX = 5_000
#: Totals are exact up to here (native.md, rules).
COUNTED_MAX = 10_000
_FACET_VALUES = 20
_REASONS = 5
_TYPE_ORDER = {name: at for at, name in enumerate(("dataset", "dataJob", "dataFlow", "instance", "namespace"))}
#: A `key:value` of the whole value counts like a rare word.
_VALUE_SCORE = 2.0


#: Weights that keep what counts first above what counts next: BM25's scores of 50 terms stay below the least of them.
_TERM_WEIGHT, _NAMED_WEIGHT, _TYPE_WEIGHT = 1e5, 1e8, 1e9


@dataclass(slots=True)
class Found:
    """Matches so far, by URN: what they are, which of the query's terms found them (as bits), and how well."""

    matches: dict[str, Match] = field(default_factory=dict)
    terms: dict[str, int] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    capped: bool = False

    def add(self, matches: Sequence[Match], term: int, score: float | None = None) -> None:
        """A term found these; with its score of each, or one for all."""
        bit = 1 << term
        if not self.matches:
            self.matches = {one.urn: one for one in matches}
            self.terms = dict.fromkeys(self.matches, bit)
            self.scores = {one.urn: one.score if score is None else score for one in matches}
            return
        for one in matches:
            urn = one.urn
            self.matches[urn] = one
            self.terms[urn] = self.terms.get(urn, 0) | bit
            self.scores[urn] = self.scores.get(urn, 0.0) + (one.score if score is None else score)

    def best(self, matches: list[Match], count: int, *, by_type: bool) -> list[Match]:
        """The best `count`: an exact name, then more terms (catalog.md 4.3.1), then the score, then the URN.

        By type, what people look for comes first, the places that hold it last. Only the best are put in order.
        """
        weights = [
            self.scores[one.urn]
            + _TERM_WEIGHT * self.terms[one.urn].bit_count()
            + _NAMED_WEIGHT * (one.urn in self.named)
            for one in matches
        ]
        if by_type:
            weights = [weight - _TYPE_WEIGHT * _order(one) for weight, one in zip(weights, matches, strict=True)]
        least = sorted(weights, reverse=True)[:count][-1:]
        best = [(-weight, one.urn, one) for weight, one in zip(weights, matches, strict=True) if [weight] >= least]
        return [one for _, _, one in sorted(best)[:count]]


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers searches, and lists keys and values for completion."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    def search(self, question: SearchQuestion, principal: Principal) -> SearchAnswer:
        """A page of what the principal may see of it. Raises IllegalQuery."""
        query = parse_query(question.text)
        asked: list[Any] = [question.text, [list(pair) for pair in question.filters]]
        offset = 0
        if question.cursor:
            *same, offset = self.cursors.read("search", question.cursor)
            if same != asked:
                raise IllegalQuery("is no cursor of this search", "cursor")
        return self.provider.tx_runner.run(
            lambda tx: self._answer(tx, question, query, principal, (asked, offset)), read_only=True
        )

    def keys(self, prefix: str, namespace: str, scope: str, principal: Principal) -> list[KeyCount]:
        """Keys that begin with `prefix` in any case, sorted, with how many entities carry each."""

        def work(tx: TableContext) -> Counter[tuple[str, str, str]]:
            counts: Counter[tuple[str, str, str]] = Counter()
            for space in self._spaces(tx, namespace, principal):
                for row in values.keys(tx, space, fold(prefix)):
                    if scope in ("", row["scope"]):
                        counts[row["key"], row["kind"], row["scope"]] += row["entities"]
            return counts

        counts = self.provider.tx_runner.run(work, read_only=True)
        found = [KeyCount(key, kind, scope_, count) for (key, kind, scope_), count in counts.items()]  # type: ignore[arg-type]
        return sorted(found, key=lambda one: (fold(one.key), one.key, one.kind, one.scope))

    def values(self, key: str, prefix: str, namespace: str, limit: int, principal: Principal) -> list[tuple[str, int]]:
        """Values of a key that begin with `prefix` in any case, sorted, with how many entities say each."""

        def work(tx: TableContext) -> Counter[str]:
            counts: Counter[str] = Counter()
            for space in self._spaces(tx, namespace, principal):
                for row in values.values_of(tx, space, fold(key), fold(prefix), limit):
                    counts[row["shown"]] += row["entities"]
            return counts

        return sorted(self.provider.tx_runner.run(work, read_only=True).items())[:limit]

    def _spaces(self, tx: TableContext, namespace: str, principal: Principal) -> list[str]:
        spaces = [namespace] if namespace else [NO_NAMESPACE, *aspects.namespaces(tx)]
        return [space for space in lasting(tx, spaces) if self.gate.may_read(principal, space)]

    def _answer(
        self,
        tx: TableContext,
        question: SearchQuestion,
        query: Query,
        principal: Principal,
        place: tuple[list[Any], int],
    ) -> SearchAnswer:
        found = Found()
        total = self.gather(tx, question, query, principal, found)
        visible = self.visible(tx, list(found.matches.values()), question, principal)
        asked, offset = place
        end = offset + question.limit
        page = found.best(visible, end, by_type=query.matches_all)[offset:]
        return SearchAnswer(
            hits=tuple(self._hits(tx, page, query)),
            total=max(total, len(visible)) if found.capped else len(visible),
            at_least=total >= COUNTED_MAX,
            ranked=RANKED_MAX if found.capped else None,
            facets=_facets(visible),
            cursor=self.cursors.write("search", [*asked, end]) if end < len(visible) else None,
        )

    def gather(
        self, tx: TableContext, question: SearchQuestion, query: Query, principal: Principal, found: Found
    ) -> int:
        """Add what matches to what was found; returns how many match, counted to 10,000, whoever may see them."""
        terms = tuple(filter_term(name, value) for name, value in question.filters)
        total = _by_words(tx, query, terms, found)
        for at, term in enumerate(query.terms):
            if term.key is not None:
                found.add(self._by_value(tx, term, question, terms, principal, found), at, _VALUE_SCORE)
        return total

    def visible(
        self, tx: TableContext, matches: list[Match], question: SearchQuestion, principal: Principal
    ) -> list[Match]:
        """Those that may be seen and whose names fit exactly: full text knows names folded (architecture.md, Identity, 2)."""
        space, kind = question.filter("namespace"), question.filter("type")
        there = {one.namespace for one in matches}
        named = [name for name in there if space in ("", name)]
        shown = {name for name in lasting(tx, named) if self.gate.may_read(principal, name)}
        if kind or shown != there:
            return [one for one in matches if one.namespace in shown and kind in ("", one.type)]
        return matches

    def _by_value(
        self,
        tx: TableContext,
        term: Term,
        question: SearchQuestion,
        terms: tuple[str, ...],
        principal: Principal,
        found: Found,
    ) -> list[Match]:
        """Whole values of a key, from the ordered table (catalog.md 4.4)."""
        pattern = term.pattern
        wanted = None if pattern.kind == "any" else pattern.text
        urns: dict[str, None] = {}
        for space in self._spaces(tx, question.filter("namespace"), principal):
            rows = values.entities_with(
                tx, space, term.key or "", wanted, prefix=pattern.kind == "prefix", limit=RANKED_MAX - len(urns)
            )
            urns |= dict.fromkeys(row["urn"] for row in rows)
            if len(urns) >= RANKED_MAX:
                found.capped = True
                break
        # Full text knows almost all of them already; the rest are values that are too long for it, or beyond its cap.
        unknown = [urn for urn in urns if urn not in found.matches]
        known = [found.matches[urn] for urn in urns if urn in found.matches]
        return known + [one for one in tx.search.documents(unknown) if unknown and one.terms.issuperset(terms)]

    def _hits(self, tx: TableContext, page: Sequence[Match], query: Query) -> Iterable[Hit]:
        summaries = aspects.summaries(tx, [one.urn for one in page])
        for one in page:
            if one.urn in summaries:
                present = aspects.present(tx, self.registry, one.type, one.urn)
                yield _hit(summaries[one.urn], present, query)


def _by_words(tx: TableContext, query: Query, terms: tuple[str, ...], found: Found) -> int:
    """Full text, term by term; returns how many match, counted to 10,000."""
    cut = False
    for at, term in enumerate(query.terms):
        matches = tx.search.match(_words(Query((term,)), terms), RANKED_MAX)
        cut = cut or len(matches) == RANKED_MAX
        found.add(matches, at)
        # The words of a name are words of its entity, so what no word finds has no such name.
        if matches and _is_bare_word(term):
            named = tx.search.match(Words(exact=(fts_word(f"name:{term.pattern.text}"),), terms=terms), RANKED_MAX)
            found.add(named, at, 0.0)
            found.named.update(one.urn for one in named)
    if not cut:
        return len(found.matches)
    total = tx.search.count(_words(query, terms), COUNTED_MAX)
    found.capped = total > RANKED_MAX
    return total


def _order(match: Match) -> int:
    return _TYPE_ORDER.get(match.type, len(_TYPE_ORDER))


def _is_bare_word(term: Term) -> bool:
    return term.key is None and term.pattern.kind == "exact"


def _words(query: Query, terms: tuple[str, ...]) -> Words:
    """The query for the full-text engine. A term with a key is looked for behind its key, and as plain text too."""
    if query.matches_all:
        return Words(terms=(EVERYTHING, *terms))
    exact: list[str] = []
    prefixes: list[str] = []
    for term in query.terms:
        for text, kind in _alternatives(term):
            (exact if kind == "exact" else prefixes).append(fts_word(text))
    return Words(tuple(exact), tuple(prefixes), terms)


def _alternatives(term: Term) -> list[tuple[str, str]]:
    if term.key is None:
        return [(term.pattern.text, term.pattern.kind)]
    keyed = f"{term.key}:{term.pattern.text}"
    kind = "exact" if term.pattern.kind == "exact" else "prefix"
    return list(dict.fromkeys([(keyed, kind), (term.plain.text, term.plain.kind)]))


def _facets(matches: Sequence[Match]) -> dict[str, tuple[tuple[str, int], ...]]:
    counters = {
        "type": Counter([one.type for one in matches]),
        "namespace": Counter([one.namespace for one in matches]),
        "tag": Counter(chain.from_iterable([one.tags for one in matches])),
    }
    return {
        name: tuple(nsmallest(_FACET_VALUES, counter.items(), key=lambda pair: (-pair[1], pair[0])))
        for name, counter in counters.items()
    }


def _hit(summary: EntitySummary, present: dict[str, Aspect], query: Query) -> Hit:
    rows = [row for one in present.values() for row in value_rows(one.name, one.scope, one.value)]
    said = {fold(row.key): row.shown for row in reversed(rows) if row.kind == "property"}
    fitting = (row for row in rows if fits(query, row))
    return Hit(
        summary=summary,
        description=said.get("description", ""),
        tags=tuple(sorted({row.shown for row in rows if row.kind == "tag"})),
        owner=said.get("owner"),
        matches=tuple(Reason(row.key, row.shown, row.scope) for row in islice(fitting, _REASONS)),
    )


def fits(query: Query, row: ValueRow) -> bool:
    """Whether a value is a reason to find its entity by this query."""
    return any(_term_fits(term, row) for term in query.terms)


def _term_fits(term: Term, row: ValueRow) -> bool:
    if term.key == "properties":
        return row.kind == "property" and _says(term.pattern, row.key)
    if term.key is not None and term.key == fold(row.key):
        return term.pattern.kind == "any" or _says(term.pattern, row.value)
    if term.plain.kind == "any":
        return False
    return _says(term.plain, row.value) or (row.kind == "property" and _says(term.plain, row.key))


def _says(pattern: Pattern, text: str) -> bool:
    # Tokens are parts of the folded text: most texts need not be cut up.
    return pattern.text in fold(text) and any(pattern.matches(token) for token in tokens(text))
