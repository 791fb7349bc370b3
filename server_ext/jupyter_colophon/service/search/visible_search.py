"""A search index that finds only what one principal may see: limits, counts and facets are those of visible documents."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal, Resource
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.search.search import Group
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.search.grouping import group_documents_by_namespace_and_type
from jupyter_colophon.storage.spi import (
    ChangeLog,
    Document,
    EdgeIndex,
    Match,
    SearchIndex,
    StructuredTable,
    TableContext,
    TextQuery,
)

#: From how many matches on their terms are looked up by queries, and the most such queries.
_MANY, _TERMS_MAX = 200, 20
#: Instances are decided by the namespace in their document, columns as their datasets.
_DECIDED_BY_OTHERS = frozenset({INSTANCE, "schemaField"})
#: How many times more matches are read if too many of those that were read are hidden.
_GROWTH = 4


def restrict_search(tx: TableContext, read_policy: ReadPolicy, principal: Principal) -> TableContext:
    """Return the transaction with a search index of what the principal may see."""
    if read_policy.access_control.find_rights(principal) is None:
        return tx
    return _RestrictedContext(tx, _VisibleSearch(tx, read_policy, principal))


def filter_visible_matches(
    tx: TableContext, read_policy: ReadPolicy, principal: Principal, matches: Sequence[Match]
) -> list[Match]:
    """Return the matches that may be seen; most are decided by namespace and type, without their metadata."""
    decisions = {
        pair: read_policy.decide_all(principal, *pair) for pair in {(match.namespace, match.type) for match in matches}
    }
    if all(decision is True for decision in decisions.values()):
        return list(matches)
    unclear = [match for match in matches if decisions[match.namespace, match.type] is None]
    visible = {
        match.urn
        for match in read_policy.filter_visible(
            tx, principal, unclear, lambda match: (Urn.parse(match.urn), match.namespace)
        )
    }
    return [match for match in matches if decisions[match.namespace, match.type] or match.urn in visible]


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
    """Reads another search index (`spi.SearchIndex`) and leaves out hidden documents before it counts any."""

    _tx: TableContext
    _read_policy: ReadPolicy
    _principal: Principal

    def put_documents(self, *documents: Document) -> None:
        """Add or replace documents."""
        self._tx.search.put_documents(*documents)

    def remove_document(self, urn: str) -> None:
        """Remove an entity's document."""
        self._tx.search.remove_document(urn)

    def find_matches(self, query: TextQuery, cap: int) -> list[Match]:
        """Return the newest `cap` visible matches, best first."""
        return _select_newest(self._find_visible(query, cap), cap)

    def find_matches_and_groups(self, query: TextQuery, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
        """Return the newest `cap` visible matches, best first; if there are more, also the newest `counted` in groups."""
        matches, groups = self._tx.search.find_matches_and_groups(query, cap, counted)
        pairs = {(match.namespace, match.type) for match in matches} | {
            (group.namespace, group.type) for group in groups
        }
        if all(self._read_policy.decide_all(self._principal, *pair) for pair in pairs):
            return matches, groups
        visible = self._find_visible(query, max(cap, counted))
        groups = _group_matches(_select_newest(visible, counted)) if len(visible) > cap else []
        return _select_newest(visible, cap), groups

    def group_matches(self, query: TextQuery, cap: int) -> list[Group]:
        """Return the newest `cap` visible matches grouped by namespace and type."""
        return _group_matches(_select_newest(self._find_visible(query, cap), cap))

    def count_facets(self, numbers: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents, which are visible, with each value, by facet."""
        return self._tx.search.count_facets(numbers, facets)

    def read_matches(self, urns: Sequence[str]) -> list[Match]:
        """Return those of these documents that are visible."""
        return self._filter(self._tx.search.read_matches(urns))

    def read_documents_after(self, urn: str, limit: int) -> list[Document]:
        """Return documents by URN, after this one. Only maintenance reads them."""
        return self._tx.search.read_documents_after(urn, limit)

    def _filter(self, matches: Sequence[Match]) -> list[Match]:
        return filter_visible_matches(self._tx, self._read_policy, self._principal, matches)

    def _find_visible(self, query: TextQuery, count: int) -> list[Match]:
        """Return at least the newest visible matches of this number, if there are as many, best first."""
        limit = count
        while True:
            matches = self._tx.search.find_matches(query, limit)
            visible = self._filter_matches_of_query(query, limit, matches)
            if len(matches) < limit or len(visible) >= count:
                return visible
            limit *= _GROWTH

    def _filter_matches_of_query(self, query: TextQuery, limit: int, matches: list[Match]) -> list[Match]:
        """Filter all matches of a query: the terms of many are found by as many queries as rules depend on terms."""
        rights = self._read_policy.access_control.find_rights(self._principal)
        terms = rights.list_terms("read") if rights is not None else set()
        if rights is None or len(matches) < _MANY or not 0 < len(terms) <= _TERMS_MAX:
            return self._filter(matches)
        terms_by_urn: defaultdict[str, set[str]] = defaultdict(set)
        for term in terms:
            for match in self._tx.search.find_matches(replace(query, terms=(*query.terms, term)), limit):
                terms_by_urn[match.urn].add(term)
        by_urn = rights.has_prefix_conditions("read")
        decisions: dict[tuple[str, str, frozenset[str], str], bool] = {}
        others, visible = list[Match](), set[str]()
        for match in matches:
            if match.type in _DECIDED_BY_OTHERS:
                others.append(match)
                continue
            own_terms = frozenset(terms_by_urn.get(match.urn, ()))
            key = (match.namespace, match.type, own_terms, match.urn if by_urn else "")
            if key not in decisions:
                resource = Resource(match.urn, match.type, match.namespace)
                decisions[key] = rights.decide("read", resource, own_terms) is True
            if decisions[key]:
                visible.add(match.urn)
        visible.update(match.urn for match in self._filter(others))
        return [match for match in matches if match.urn in visible]


def _select_newest(matches: list[Match], count: int) -> list[Match]:
    """Return the newest matches in their order."""
    if len(matches) <= count:
        return matches
    oldest = sorted((match.number for match in matches), reverse=True)[count - 1]
    return [match for match in matches if match.number >= oldest]


def _group_matches(matches: Sequence[Match]) -> list[Group]:
    return group_documents_by_namespace_and_type([(match.number, match.namespace, match.type) for match in matches])
