"""A search index that finds only what one principal may see: limits, counts and facets are those of visible documents."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.model.search_index_terms import encode_filter_term, fold_text_for_comparison
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.core.policies.term_clauses import TermClauses
from jupyter_colophon.core.search.search import MatchGroup
from jupyter_colophon.service.read_policy import DECIDED_BY_OTHERS, ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import (
    ChangeLog,
    Document,
    EdgeIndex,
    Match,
    MatchColumns,
    SearchIndex,
    StructuredTable,
    TableContext,
    TermFilter,
    TextQuery,
)

#: How many times more matches are read if too many of those that were read are hidden.
_GROWTH: Final = 4
_NUMBER = attrgetter("number")
#: Their own terms do not decide on documents of these types.
_EXEMPT: Final = tuple(encode_filter_term("type", type_) for type_ in sorted(DECIDED_BY_OTHERS))
#: How many documents with the terms of denials are looked at to make the filter simpler.
_DENIED_MAX: Final = 20


def restrict_search(tx: TableContext, read_policy: ReadPolicy, principal: Principal) -> TableContext:
    """Return the transaction with a search index of what the principal may see."""
    if "read" in principal.scopes and not read_policy.may_hide_from(principal):
        return tx
    rights = read_policy.access_control.find_rights(principal)
    clauses = TermClauses() if rights is None else rights.get_clauses("read")
    if clauses.denied_namespaces and _has_similar_namespace(tx, clauses.denied_namespaces):
        clauses = replace(clauses, denied=(), decides_denials=False)
    return _RestrictedContext(
        tx, _VisibleSearch(tx, read_policy, principal, rights, clauses, _create_filter(tx, clauses))
    )


def _create_filter(tx: TableContext, clauses: TermClauses) -> TermFilter:
    """Return the filter by these clauses, without what no document needs: each term costs time in every query."""
    denied, exempt = clauses.denied, _EXEMPT
    # Every denied document has one of these terms.
    terms = tuple({term for *_, alternatives in denied for term in alternatives})
    found = tx.search.find_matches(TextQuery(terms=(terms,)), _DENIED_MAX) if denied else []
    if len(found) < _DENIED_MAX:
        denied = denied if any(match.type not in DECIDED_BY_OTHERS for match in found) else ()
        if clauses.granted is None and not any(match.type in DECIDED_BY_OTHERS for match in found):
            exempt = ()
    return TermFilter(clauses.granted, denied, exempt) if denied or clauses.granted is not None else TermFilter()


def _has_similar_namespace(tx: TableContext, names: Collection[str]) -> bool:
    """Return whether a namespace differs from one of these in case alone: they have the same term."""
    folded = {fold_text_for_comparison(name) for name in names}
    others = set(aspects.list_namespaces(tx, include_deleted=True)).difference(names)
    return not folded.isdisjoint(map(fold_text_for_comparison, others))


@dataclass(frozen=True, slots=True)
class _RestrictedContext:
    """A transaction with another search index (`spi.TableContext`)."""

    _tx: TableContext
    search: SearchIndex

    @property
    def log(self) -> ChangeLog:
        """The change log."""
        return self._tx.log

    @property
    def edges(self) -> EdgeIndex:
        """The lineage index."""
        return self._tx.edges

    def get_table(self, table_id: str) -> StructuredTable:
        """Return a table."""
        return self._tx.get_table(table_id)

    def on_commit(self, action: Callable[[], None]) -> None:
        """Run an action after the transaction has succeeded."""
        self._tx.on_commit(action)


@dataclass(frozen=True, slots=True)
class _VisibleSearch:
    """Reads another search index (`spi.SearchIndex`) and leaves out hidden documents before it counts any.

    The index finds little that is hidden, by the terms of documents; what is left of it is left out here.
    """

    _tx: TableContext
    _read_policy: ReadPolicy
    _principal: Principal
    _rights: AccessRights | None
    _clauses: TermClauses
    _filter: TermFilter
    #: The decisions for what was found with the filter, by namespace and type.
    _decisions: dict[MatchGroup, bool | None] = field(default_factory=dict)

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents."""
        self._tx.search.put_documents(*documents)

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        self._tx.search.remove_document(urn)

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` visible matches, best first."""
        return self.find_match_columns(query, cap, cap).list_best_matches()

    def find_match_columns(self, query: TextQuery, cap: int, counted: int) -> MatchColumns:
        """Return the newest `counted` visible matches, at least `cap`, of which the newest `cap` are ranked."""
        filtered, limit = self._add_filter(query), max(cap, counted)
        columns = self._tx.search.find_match_columns(filtered, cap, counted)
        if all(map(self._decide_group, columns.counted.groups.list_distinct())):
            return columns
        if len(columns.counted.numbers) < cap:
            found = self._filter_found(columns.list_best_matches())
        else:
            found = self._find_visible(filtered, limit)
        visible = sorted(found, key=_NUMBER, reverse=True)
        return MatchColumns.from_matches(visible[:limit], cap)

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents, which are visible, with each value, by facet."""
        return self._tx.search.count_facets(numbers, facets)

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return those of these documents that are visible."""
        return filter_visible_matches(self._tx, self._read_policy, self._principal, self._tx.search.read_matches(urns))

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one. Only maintenance reads them."""
        return self._tx.search.read_documents_after(urn, limit)

    def rewrite_some_documents(self, version: int, place: str) -> str | None:
        """Rewrite some documents for an upgrade."""
        return self._tx.search.rewrite_some_documents(version, place)

    def _add_filter(self, query: TextQuery) -> TextQuery:
        return replace(query, filter=self._filter)

    def _decide_group(self, group: MatchGroup) -> bool | None:
        if group not in self._decisions:
            self._decisions[group] = self._decide_found(*group)
        return self._decisions[group]

    def _decide_found(self, namespace: str, type_: str) -> bool | None:
        """Return the decision for what was found with the filter; None if it differs among entities."""
        decision = self._read_policy.decide_all(self._principal, namespace, type_)
        if decision is None and self._rights is not None and type_ not in DECIDED_BY_OTHERS:
            return self._rights.decide_all_with_clauses("read", namespace, type_, self._clauses)
        return decision

    def _find_visible(self, filtered: TextQuery, count: int) -> list[Match]:
        """Return at least the newest visible matches of this number, if there are as many, best first."""
        limit = count
        while True:
            matches = self._tx.search.find_matches(filtered, limit)
            visible = self._filter_found(matches)
            if len(matches) < limit or len(visible) >= count:
                return visible
            limit *= _GROWTH

    def _filter_found(self, matches: Sequence[Match]) -> list[Match]:
        decisions = {group: self._decide_group(group) for group in {match.group for match in matches}}
        unclear = [match for match in matches if decisions[match.group] is None]
        visible = {match.urn for match in filter_visible_matches(self._tx, self._read_policy, self._principal, unclear)}
        return [match for match in matches if decisions[match.group] or match.urn in visible]


def filter_visible_matches(
    tx: TableContext, read_policy: ReadPolicy, principal: Principal, matches: Sequence[Match]
) -> list[Match]:
    """Return the matches that may be seen, wherever they were found."""
    return read_policy.filter_visible_of_types(
        tx, principal, matches, lambda match: (match.urn, match.type, match.namespace)
    )
