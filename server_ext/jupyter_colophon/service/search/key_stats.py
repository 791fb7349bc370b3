"""Statistics of keys: how many entities have each key, and each value of a key."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity_kinds import get_entity_kind_of_row
from jupyter_colophon.core.identity.names import NO_NAMESPACE
from jupyter_colophon.core.model.registry import Registry, Scope
from jupyter_colophon.core.model.search_index_terms import TAGS_KEY, fold_text_for_comparison
from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.core.search.search import KeyCount, KeysRequest, ValuesRequest, ValueTotal
from jupyter_colophon.service.entities.point_in_time import PointInTimeView
from jupyter_colophon.service.search.search import CatalogSearcher
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.retention import require_history_kept_at
from jupyter_colophon.storage.search import index, past_values, values
from jupyter_colophon.storage.spi import Row, TableContext

#: How many values are scanned in each namespace for a query as of a time.
SCANNED_MAX = 20_000
#: How many different values of a key are counted.
VALUES_COUNTED_MAX: Final = 1_000

SCOPES: Final = get_args(Scope)

#: The key in its original spelling, its kind (tags are keys too) and its scope.
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class KeyStatsReader:
    """Lists keys and values of namespaces; instances of schemaspaces belong to none and are not counted."""

    searcher: CatalogSearcher

    def list_keys_with_counts(self, request: KeysRequest, principal: Principal) -> tuple[list[KeyCount], bool]:
        """Return the keys, sorted, with the number of entities of each; and whether the list is incomplete."""
        count = _add_counts_of_current_keys if request.as_of is None else _add_counts_of_past_keys

        def count_keys(tx: TableContext) -> tuple[Counter[_Key], bool]:
            counts: Counter[_Key] = Counter()
            is_partial = False
            require_history_kept_at(tx, request.as_of)
            for space in self._list_searched_namespaces(
                tx, request.namespace, principal, ever=request.as_of is not None
            ):
                is_partial = count(tx, self.searcher, space, request, counts) or is_partial
            return counts, is_partial

        counts, is_partial = self.searcher.provider.tx_runner.run(count_keys, read_only=True)
        selected = {key: count for key, count in counts.items() if not request.scopes or key[2] in request.scopes}
        key_counts = [KeyCount(key, kind, scope, count) for (key, kind, scope), count in selected.items()]  # type: ignore[arg-type]
        return sorted(
            key_counts,
            key=lambda key_count: (
                fold_text_for_comparison(key_count.key),
                key_count.key,
                key_count.kind,
                key_count.scope,
            ),
        ), is_partial

    def count_values_of_keys(self, keys: Sequence[str], namespace: str, principal: Principal) -> dict[str, ValueTotal]:
        """Return the number of present values of each key, to at least VALUES_COUNTED_MAX.

        It belongs to the read that listed the keys, which is recorded.
        """

        def count_values(tx: TableContext) -> dict[str, ValueTotal]:
            spaces = self._list_searched_namespaces(tx, namespace, principal)
            counts = {
                key: values.count_values_of_key(tx, spaces, fold_text_for_comparison(key), VALUES_COUNTED_MAX + 1)
                for key in keys
            }
            return {
                key: ValueTotal(min(count, VALUES_COUNTED_MAX), count > VALUES_COUNTED_MAX)
                for key, count in counts.items()
            }

        return self.searcher.provider.tx_runner.run(count_values, read_only=True)

    def list_values_with_counts(
        self, request: ValuesRequest, limit: int, principal: Principal
    ) -> tuple[list[tuple[str, int]], bool]:
        """Return the first values of a key, sorted, with the number of entities of each; and whether the list is incomplete.

        Raises HistoryExpired.
        """
        key, prefix = fold_text_for_comparison(request.key), fold_text_for_comparison(request.prefix)

        def count_values(tx: TableContext) -> tuple[Counter[str], bool]:
            counts: Counter[str] = Counter()
            is_partial = False
            require_history_kept_at(tx, request.as_of)
            for space in self._list_searched_namespaces(
                tx, request.namespace, principal, ever=request.as_of is not None
            ):
                if request.as_of is None and not request.scopes:
                    for row in values.iterate_value_counts(tx, space, key, prefix, limit):
                        counts[row["shown"]] += row["entities"]
                    continue
                pairs, is_cut = _find_values_of_key(tx, self.searcher.registry, space, request)
                counts.update(value for _, value in pairs)
                is_partial = is_partial or is_cut
            return counts, is_partial

        counts, is_partial = self.searcher.provider.tx_runner.run(count_values, read_only=True)
        return sorted(counts.items())[:limit], is_partial

    def _list_searched_namespaces(
        self, tx: TableContext, namespace: str, principal: Principal, *, ever: bool = False
    ) -> list[str]:
        spaces = self.searcher.list_searched_namespaces(tx, namespace, principal, include_deleted=ever)
        # The counters are those of whole namespaces.
        may_read = self.searcher.read_policy.may_read_namespace
        return [space for space in spaces if space != NO_NAMESPACE and may_read(principal, space)]


def _add_counts_of_current_keys(
    tx: TableContext, _searcher: CatalogSearcher, space: str, request: KeysRequest, counts: Counter[_Key]
) -> bool:
    """Add the current keys of a namespace's entities to `counts`; return whether any are missing."""
    for row in values.iterate_key_counts(tx, space, fold_text_for_comparison(request.prefix)):
        if not request.carriers or row["entity_kind"] in request.carriers:
            counts[row["key"], row["kind"], row["scope"]] += row["entities"]
    return False


def _add_counts_of_past_keys(
    tx: TableContext, searcher: CatalogSearcher, space: str, request: KeysRequest, counts: Counter[_Key]
) -> bool:
    """Add the keys that a namespace's entities had at a time to `counts`; return whether any are missing."""
    prefix, time = fold_text_for_comparison(request.prefix), request.as_of or 0
    now = list(_iterate_value_rows_of_keys(tx, values.TABLE, space, prefix))
    before = list(_iterate_value_rows_of_keys(tx, past_values.TABLE, space, prefix))
    view = PointInTimeView(tx, searcher.registry, time)
    view.load_and_cache_rows([*(row["urn"] for row in now), *(row["urn"] for row in before if row["until"] > time)])
    keys_by_urn, ambiguous = _find_unchanged_keys(view, now, _read_current_key_spellings(tx, space, prefix))
    keys_by_urn |= {
        urn: {
            (key[1], key[2], key[3])
            for key in index.build_key_counter_keys(view.get_loaded_row(urn), then.values)
            if key[0].startswith(prefix)
        }
        for urn, then in view.rebuild_entities_as_of_time(
            [*view.filter_changed_since(row["urn"] for row in (*now, *before)), *ambiguous]
        ).items()
        if not then.removed
    }
    for urn, keys in keys_by_urn.items():
        if not request.carriers or get_entity_kind_of_row(view.get_loaded_row(urn)["type"], urn) in request.carriers:
            counts.update(keys)
    return view.is_truncated or max(len(now), len(before)) >= SCANNED_MAX


def _find_values_of_key(
    tx: TableContext, registry: Registry, space: str, request: ValuesRequest
) -> tuple[set[tuple[str, str]], bool]:
    """Return (URN, value) of a key in these scopes, now or at a time; and whether any are missing."""
    key, prefix = fold_text_for_comparison(request.key), fold_text_for_comparison(request.prefix)
    patterns = SearchPattern(key, "exact"), SearchPattern(prefix, "prefix" if prefix else "any")
    scopes = request.scopes or SCOPES
    now = list(values.iterate_value_rows(tx, values.TABLE, space, *patterns, SCANNED_MAX))
    if request.as_of is None:
        pairs = {(row["urn"], row["shown"]) for row in now if row["scope"] in scopes}
        present = aspects.filter_not_removed(tx, {urn for urn, _ in pairs})
        return {pair for pair in pairs if pair[0] in present}, len(now) >= SCANNED_MAX
    before = list(values.iterate_value_rows(tx, past_values.TABLE, space, *patterns, SCANNED_MAX))
    view = PointInTimeView(tx, registry, request.as_of)
    urns = [row["urn"] for row in (*now, *before)]
    view.load_and_cache_rows(urns)
    same = {urn for urn in view.filter_unchanged_since(urns) if not view.get_loaded_row(urn)["removed"]}
    historic_pairs = {(row["urn"], row["shown"]) for row in now if row["urn"] in same and row["scope"] in scopes}
    for urn, then in view.rebuild_entities_as_of_time(view.filter_changed_since(urns)).items():
        if then.removed:
            continue
        matching = (
            row
            for row in then.values
            if fold_text_for_comparison(row.key) == key and patterns[1].matches_folded_text(row.value.strip())
        )
        historic_pairs |= {(urn, row.shown) for row in matching if row.scope in scopes}
    return historic_pairs, view.is_truncated or max(len(now), len(before)) >= SCANNED_MAX


def _iterate_value_rows_of_keys(tx: TableContext, table: str, space: str, prefix: str) -> Iterator[Row]:
    """Yield current or past value rows of keys with a prefix; a tag is a value of the key `tags`."""
    pattern = SearchPattern(prefix, "prefix" if prefix else "any")
    for row in values.iterate_value_rows(tx, table, space, pattern, SearchPattern("", "any"), SCANNED_MAX):
        if row["key"] != TAGS_KEY or not prefix:
            yield row
    if prefix:
        yield from values.iterate_value_rows(tx, table, space, SearchPattern(TAGS_KEY, "exact"), pattern, SCANNED_MAX)


def _read_current_key_spellings(tx: TableContext, space: str, prefix: str) -> dict[_Key, set[str]]:
    """Return the current spellings of keys, by folded key, kind and scope."""
    spellings: dict[_Key, set[str]] = defaultdict(set)
    for row in values.iterate_key_counts(tx, space, prefix):
        spellings[row["folded"], row["kind"], row["scope"]].add(row["key"])
    return spellings


def _find_unchanged_keys(
    view: PointInTimeView, rows: Iterable[Row], spellings: Mapping[_Key, set[str]]
) -> tuple[dict[str, set[_Key]], list[str]]:
    """Return the keys of unchanged entities by URN, and the URNs whose key spellings must be looked up."""
    keys_by_urn: dict[str, set[_Key]] = defaultdict(set)
    ambiguous: set[str] = set()
    for row in rows:
        urn, kind, scope = row["urn"], row["kind"], row["scope"]
        if kind == "tag":
            keys_by_urn[urn].add((row["shown"], kind, scope))
            continue
        spelled = spellings.get((row["key"], kind, scope), set())
        keys_by_urn[urn].update((key, kind, scope) for key in spelled)
        ambiguous |= {urn} if len(spelled) != 1 else set()
    same = [urn for urn in view.filter_unchanged_since(keys_by_urn) if not view.get_loaded_row(urn)["removed"]]
    return {urn: keys_by_urn[urn] for urn in same if urn not in ambiguous}, [urn for urn in same if urn in ambiguous]
