"""Search: full text and `key:value` together, ranked, with reasons and facets (catalog.md 4.3, 4.4)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import Any, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entity import Aspect, EntitySummary
from jupyter_colophon.core.errors import IllegalQuery, shown
from jupyter_colophon.core.labels import counts_of
from jupyter_colophon.core.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.query import Query, Term, parse_query
from jupyter_colophon.core.reasons import reasons
from jupyter_colophon.core.registry import Registry
from jupyter_colophon.core.search import Group, Hit, SearchAnswer, SearchQuestion
from jupyter_colophon.core.terms import NAME_KEY, PART_KEY, filter_term, fold, fts_word, value_rows
from jupyter_colophon.service.found import Found
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.service.moment import Moment
from jupyter_colophon.service.past_search import PastSearch
from jupyter_colophon.storage import aspects, values
from jupyter_colophon.storage.ending import lasting
from jupyter_colophon.storage.grouping import grouped
from jupyter_colophon.storage.index import EVERYTHING
from jupyter_colophon.storage.retention import require_kept
from jupyter_colophon.storage.spi import Match, StorageProvider, TableContext, Words

#: Only the newest matches are ranked; beyond that ranking costs seconds (catalog.md 4.4).
RANKED_MAX = 5_000
#: Totals and facets are exact up to here (native.md, rules).
COUNTED_MAX = 10_000
_FACET_VALUES = 20
#: A `key:value` of the whole value counts like a rare word.
_VALUE_SCORE = 2.0
T = TypeVar("T", Match, Group)


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers searches."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    cursors: Cursors

    def search(self, question: SearchQuestion, principal: Principal) -> SearchAnswer:
        """A page of what the principal may see of it. Raises IllegalQuery."""
        query = parse_query(question.text)
        kind = question.filter("type")
        if kind and not self.registry.knows(kind):
            raise IllegalQuery(f"there is no entity type {shown(kind)}", "type")
        asked: list[Any] = [question.text, [list(pair) for pair in question.filters]]
        offset = 0
        if question.cursor:
            # A time such as `now-1d` is another one by the next page: that of the first page counts.
            *same, as_of, offset = self.cursors.read("search", question.cursor)
            if same != asked or (as_of is None) != (question.as_of is None):
                raise IllegalQuery("is no cursor of this search", "cursor")
            question = replace(question, as_of=as_of)
        return self.provider.tx_runner.run(
            lambda tx: self._answer(tx, question, query, principal, ([*asked, question.as_of], offset)), read_only=True
        )

    def spaces(self, tx: TableContext, namespace: str, principal: Principal, *, ever: bool = False) -> list[str]:
        """The namespace, or all that the principal may read; `ever` takes those in that are gone."""
        spaces = [namespace] if namespace else [NO_NAMESPACE, *aspects.namespaces(tx, ever=ever)]
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
        self.gather(tx, question, query, principal, found)
        visible = self.visible(tx, list(found.matches.values()), question, principal)
        groups = self.visible(tx, found.groups, question, principal)
        total = max(sum(one.size for one in groups), len(visible))
        asked, offset = place
        end = offset + question.limit
        page = found.best(visible, end, by_type=query.matches_all)[offset:]
        return SearchAnswer(
            hits=tuple(self._hits(tx, page, query, question.as_of)),
            total=total,
            at_least=sum(one.size for one in found.groups) >= COUNTED_MAX or (found.capped and not found.groups),
            ranked=len(found.matches) if found.capped else None,
            facets=_facets(question.facets, groups or _alike(visible)) if question.facets else {},
            cursor=self.cursors.write("search", [*asked, end]) if end < len(visible) else None,
        )

    def gather(
        self, tx: TableContext, question: SearchQuestion, query: Query, principal: Principal, found: Found
    ) -> None:
        """Add what matches to what was found, whoever may see it."""
        terms = tuple(filter_term(name, value) for name, value in question.filters)
        spaces = self.spaces(tx, question.filter("namespace"), principal, ever=question.as_of is not None)
        if question.as_of is not None:
            require_kept(tx, question.as_of)
            PastSearch(Moment(tx, self.registry, question.as_of), spaces).gather(query, terms, found)
            return
        _by_words(tx, query, terms, found)
        for at, term in enumerate(query.terms):
            if term.key is not None:
                found.add(_by_value(tx, term, spaces, terms, found), at, _VALUE_SCORE)

    def visible(self, tx: TableContext, matches: list[T], question: SearchQuestion, principal: Principal) -> list[T]:
        """Those that may be seen, are known, and whose names fit exactly: full text knows names folded (architecture.md, Identity, 2)."""
        space, kind = question.filter("namespace"), question.filter("type")
        there = {(one.namespace, one.type) for one in matches}
        named = {name for name, _ in there if space in ("", name)}
        shown = {name for name in lasting(tx, sorted(named)) if self.gate.may_read(principal, name)}
        # A type may have gone with the file that added it.
        known = {name for _, name in there if kind in ("", name) and self.registry.knows(name)}
        if all(space in shown and name in known for space, name in there):
            return matches
        return [one for one in matches if one.namespace in shown and one.type in known]

    def _hits(self, tx: TableContext, page: Sequence[Match], query: Query, as_of: int | None) -> Iterable[Hit]:
        summaries = {} if as_of is not None else aspects.summaries(tx, [one.urn for one in page])
        for one in page:
            if as_of is None:
                summary, said = summaries.get(one.urn), aspects.present(tx, self.registry, one.type, one.urn)
            else:
                summary = aspects.summary_at(tx, self.registry, Urn.parse(one.urn), as_of)
                said = aspects.at(tx, self.registry, one.type, one.urn, as_of)
            if summary is not None:
                yield _hit(summary, self.registry.type(one.type).key_aspect, said, query)


def _by_value(tx: TableContext, term: Term, spaces: Sequence[str], terms: tuple[str, ...], found: Found) -> list[Match]:
    """Whole values of a key, from the ordered table (catalog.md 4.4)."""
    urns: dict[str, None] = {}
    for space in spaces:
        rows = values.entities_with(tx, space, term.key or "", term.pattern, RANKED_MAX - len(urns))
        urns |= dict.fromkeys(row["urn"] for row in rows)
        if len(urns) >= RANKED_MAX:
            found.capped = True
            break
    # Full text knows almost all of them already; the rest are values that are too long for it, or beyond its cap.
    unknown = [urn for urn in urns if urn not in found.matches]
    known = [found.matches[urn] for urn in urns if urn in found.matches]
    return known + [one for one in tx.search.documents(unknown) if unknown and one.terms.issuperset(terms)]


def _by_words(tx: TableContext, query: Query, terms: tuple[str, ...], found: Found) -> None:
    """Full text, term by term; where not all of them can be ranked, how many are alike."""
    cut, groups = False, list[Group]()
    for at, term in enumerate(query.terms):
        words = _words(Query((term,)), terms)
        if len(query.terms) == 1:
            matches, groups = tx.search.survey(words, RANKED_MAX, COUNTED_MAX)
        else:
            matches, groups = tx.search.match(words, RANKED_MAX), []
            cut = cut or len(matches) == RANKED_MAX
        found.add(matches, at)
        # The words of a name are words of its entity, so what no word finds has no such name.
        if matches and _may_be_a_name(term):
            word = fts_word(f"{NAME_KEY}:{term.pattern.text}")
            named = tx.search.match(Words(exact=(word,), terms=terms), RANKED_MAX)
            found.add(named, at, 0.0)
            found.named.update(one.urn for one in named)
    if cut:
        # What several terms find is counted together.
        groups = tx.search.groups(_words(query, terms), COUNTED_MAX)
    if sum(one.size for one in groups) > RANKED_MAX:
        found.capped = True
        found.groups += groups


def _may_be_a_name(term: Term) -> bool:
    return term.key in (None, NAME_KEY) and term.pattern.kind == "exact"


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
    found = [(keyed, kind), (term.plain.text, term.plain.kind)]
    if term.key == NAME_KEY and term.pattern.kind != "any":
        found.append((f"{PART_KEY}:{term.pattern.text}", kind))
    return list(dict.fromkeys(found))


def _alike(matches: Iterable[Match]) -> list[Group]:
    return grouped((one.namespace, one.type, one.labels) for one in matches)


def _facets(wanted: Iterable[str], groups: Iterable[Group]) -> dict[str, tuple[tuple[str, int], ...]]:
    """The values of each facet that most have."""
    kinds: Counter[tuple[str, str]] = Counter()
    said: Counter[str] = Counter()
    for one in groups:
        kinds[one.namespace, one.type] += one.size
        said.update(one.labels)
    return {name: _most(_counted(name, kinds, said)) for name in wanted}


def _counted(facet: str, kinds: Mapping[tuple[str, str], int], said: Mapping[str, int]) -> Mapping[str, int]:
    """How many have each value of a facet."""
    if facet not in ("namespace", "type"):
        return counts_of(facet, said)
    counter: Counter[str] = Counter()
    for (namespace, kind), count in kinds.items():
        counter[kind if facet == "type" else namespace] += count
    return counter


def _most(counted: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(nsmallest(_FACET_VALUES, counted.items(), key=lambda pair: (-pair[1], pair[0])))


def _hit(summary: EntitySummary, key_aspect: str, present: dict[str, Aspect], query: Query) -> Hit:
    by_aspect = {one.name: value_rows(one.name, one.scope, one.value) for one in present.values()}
    rows = [row for one in by_aspect.values() for row in one]
    said = {fold(row.key): row.shown for row in reversed(rows) if row.kind == "property"}
    return Hit(
        summary=summary,
        description=said.get("description", ""),
        tags=tuple(sorted({row.shown for row in rows if row.kind == "tag"})),
        owner=said.get("owner"),
        matches=reasons(query, summary, key_aspect, by_aspect),
    )
