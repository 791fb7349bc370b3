"""A search index that finds only what one principal may see: limits, counts and facets are those of visible documents."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.model.search_index_terms import encode_filter_term, fold_text_for_comparison
from jupyter_colophon.core.policies.rights import AccessRights
from jupyter_colophon.core.policies.term_clauses import TermClauses
from jupyter_colophon.core.search.search import Group
from jupyter_colophon.service.read_policy import DECIDED_BY_OTHERS, ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.search.grouping import group_documents_by_namespace_and_type
from jupyter_colophon.storage.spi import (
    ChangeLog,
    Document,
    EdgeIndex,
    Match,
    SearchIndex,
    StructuredTable,
    TableContext,
    TermFilter,
    TextQuery,
)

#: How many times more matches are read if too many of those that were read are hidden.
_GROWTH: Final = 4
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
    _decisions: dict[tuple[str, str], bool | None] = field(default_factory=dict)

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents."""
        self._tx.search.put_documents(*documents)

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        self._tx.search.remove_document(urn)

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` visible matches, best first."""
        return self.find_matches_and_groups(query, cap, cap)[0]

    def find_matches_and_groups(self, query: TextQuery, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """Return the newest `cap` visible matches, best first; if there are more, also the newest `counted` in groups."""
        filtered = self._add_filter(query)
        matches, groups = self._tx.search.find_matches_and_groups(filtered, cap, counted)
        # The groups are of all matches.
        if self._are_visible(groups or matches):
            return matches, groups
        if len(matches) < cap:
            return self._filter_found(matches), []
        visible = self._find_visible(filtered, max(cap, counted))
        groups = _group_matches(_select_newest(visible, counted)) if len(visible) > cap else []
        return _select_newest(visible, cap), groups

    def group_matches(self, query: TextQuery, cap: int) -> list[Group]:
        """Return the newest `cap` visible matches grouped by namespace and type."""
        filtered = self._add_filter(query)
        groups = self._tx.search.group_matches(filtered, cap)
        if self._are_visible(groups):
            return groups
        return _group_matches(_select_newest(self._find_visible(filtered, cap), cap))

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents, which are visible, with each value, by facet."""
        return self._tx.search.count_facets(numbers, facets)

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return those of these documents that are visible."""
        return filter_visible_matches(self._tx, self._read_policy, self._principal, self._tx.search.read_matches(urns))

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one. Only maintenance reads them."""
        return self._tx.search.read_documents_after(urn, limit)

    def _add_filter(self, query: TextQuery) -> TextQuery:
        return replace(query, filter=self._filter)

    def _are_visible(self, found: Sequence[Match | Group]) -> bool:
        """Return whether everything that was found with the filter is visible, by namespace and type."""
        return all(self._decide_kind(kind) for kind in {(one.namespace, one.type) for one in found})

    def _decide_kind(self, kind: tuple[str, str]) -> bool | None:
        if kind not in self._decisions:
            self._decisions[kind] = self._decide_found(*kind)
        return self._decisions[kind]

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
        decisions = {kind: self._decide_kind(kind) for kind in {(match.namespace, match.type) for match in matches}}
        unclear = [match for match in matches if decisions[match.namespace, match.type] is None]
        visible = {match.urn for match in filter_visible_matches(self._tx, self._read_policy, self._principal, unclear)}
        return [match for match in matches if decisions[match.namespace, match.type] or match.urn in visible]


def filter_visible_matches(
    tx: TableContext, read_policy: ReadPolicy, principal: Principal, matches: Sequence[Match]
) -> list[Match]:
    """Return the matches that may be seen, wherever they were found."""
    return read_policy.filter_visible_of_types(
        tx, principal, matches, lambda match: (match.urn, match.type, match.namespace)
    )


def _select_newest(matches: list[Match], count: int) -> list[Match]:
    """Return the newest matches in their order."""
    if len(matches) <= count:
        return matches
    oldest = sorted((match.number for match in matches), reverse=True)[count - 1]
    return [match for match in matches if match.number >= oldest]


def _group_matches(matches: Sequence[Match]) -> list[Group]:
    return group_documents_by_namespace_and_type([(match.number, match.namespace, match.type) for match in matches])
