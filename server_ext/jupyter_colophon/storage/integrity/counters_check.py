"""Compare the counters of keys and values, and the number of names and values, with their sources.

Counters are sums over all entities, so they are computed from one snapshot, twice if they differ. First every key is
hashed into one of some thousand sums, with sources counted as plus and counters as minus; then only the keys in sums
that are not zero are counted one by one. A correct catalog therefore needs no memory, however many keys it has.

A difference stays the same while others write, since writers add and subtract; it is repaired by adding it.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity, UnreadableAspect
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Key, TableContext

_COUNTS = (tables.KEY_COUNTS, tables.VALUE_COUNTS)
_ROWS = (tables.ENTITY_NAMES, tables.METADATA_VALUES, tables.VALUE_HISTORY)
#: The tables of counters; in the others, rows are counted.
COUNTED = frozenset(spec.id for spec in _COUNTS)
_SUMS = 4_096
_AT_ONCE = 1_000

#: A table, a key in it, the amount to add, and whether the row is invalid whatever the sum.
_Item = tuple[str, Key, int, bool]


def find_counter_differences(
    tx: TableContext, registry: Registry, report_progress: Callable[[], None]
) -> dict[tuple[str, Key], int]:
    """Return what has to be added to which counters, by table and key; `tick` is called from time to time.

    A row of names or values counts as one; a missing one is also reported by `derived_check.list_derived_row_checks`.
    """
    sums = [0] * _SUMS
    suspicious = set()
    for table, key, amount, senseless in _iterate_required_and_stored_counts(tx, registry, report_progress):
        mark = hash((table, key))
        sums[mark % _SUMS] += amount * mark
        if senseless:
            suspicious.add(mark % _SUMS)
    suspicious |= {at for at, total in enumerate(sums) if total}
    if not suspicious:
        return {}
    differing: Counter[tuple[str, Key]] = Counter()
    senseless_ones = set()
    for table, key, amount, senseless in _iterate_required_and_stored_counts(tx, registry, report_progress):
        if hash((table, key)) % _SUMS in suspicious:
            differing[table, key] += amount
            if senseless:
                senseless_ones.add((table, key))
    return {place: amount for place, amount in differing.items() if amount or place in senseless_ones}


def add_to_counter_or_delete(table: str, key: Key, amount: int, tx: TableContext) -> None:
    """Add a difference to a counter, and delete the counter if it drops to zero."""
    if tx.get_table(table).increment(key, "entities", amount) <= 0:
        tx.get_table(table).delete(key)


def get_urn_of_row_key(table: str, key: Key) -> str:
    """Return the entity's URN in the key of a row of names or values."""
    spec = next(candidate for candidate in _ROWS if candidate.id == table)
    return str(key[spec.primary_key.index("urn")])


def _iterate_required_and_stored_counts(
    tx: TableContext, registry: Registry, tick: Callable[[], None]
) -> Iterator[_Item]:
    for stored in sources_of_truth.iterate_stored_entities(tx):
        tick()
        try:
            if not stored.entity["deleted"]:
                yield from _derive_required_counts(registry, stored)
            for key in past_values.derive_past_value_rows(tx, registry, stored.entity, stored.aspects):
                yield tables.VALUE_HISTORY.id, key, 1, False
        except UnreadableAspect:
            continue
    for spec in (*_COUNTS, *_ROWS):
        place: Key = ()
        while rows := list(tx.get_table(spec.id).scan(sources_of_truth.build_range_after_key(place), _AT_ONCE)):
            tick()
            for row in rows:
                place = tuple(row[name] for name in spec.primary_key)
                counted = (row["entities"] or 0) if spec in _COUNTS else 1
                yield spec.id, place, -counted, counted <= 0


def _derive_required_counts(registry: Registry, stored: StoredEntity) -> Iterator[_Item]:
    """Yield the rows and counts that an existing entity requires."""
    entity, values = stored.entity, set(sources_of_truth.derive_search_value_rows(registry, stored))
    for table, keys in index.build_counter_keys(
        entity, set() if sources_of_truth.is_entity_left_out_of_lists(registry, stored) else values
    ):
        for key in keys:
            yield table, (entity["namespace"], *key), 1, False
    for key in index.build_stored_value_rows(entity, values):
        yield tables.METADATA_VALUES.id, key, 1, False
    yield tables.ENTITY_NAMES.id, tuple(entity[part] for part in tables.ENTITY_NAMES.primary_key), 1, False
