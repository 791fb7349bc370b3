"""Compare the counters of keys and values, and the number of names and values, with their sources.

Counters are sums over all entities, so they are computed from one snapshot, twice if they differ. First every key is
hashed into one of some thousand sums, with sources counted as plus and counters as minus; then only the keys in sums
that are not zero are counted one by one. A correct catalog therefore needs no memory, however many keys it has.

A difference stays the same while others write, since writers add and subtract; it is repaired by adding it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity, UnreadableAspect
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Key, TableContext, TableSpec

_COUNTS = (tables.KEY_COUNTS, tables.VALUE_COUNTS)
_ROWS = (tables.ENTITY_NAMES, tables.METADATA_VALUES, tables.VALUE_HISTORY)
#: The tables of counters; in the others, rows are counted.
COUNTED = frozenset(spec.id for spec in _COUNTS)
#: All tables that are compared.
COMPARED: Final = (*_COUNTS, *_ROWS)
_SUMS = 4_096
_AT_ONCE = 1_000

#: A table, a key in it, the amount to add, and whether the row is invalid whatever the sum.
CountItem = tuple[str, Key, int, bool]


@dataclass(slots=True)
class CountSums:
    """The sums into which keys are hashed; all are zero if counters agree with their sources.

    Sums of parts of the catalog that are computed by other processes can be added. `invalid` are sums with an invalid row.
    """

    totals: list[int] = field(default_factory=lambda: [0] * _SUMS)
    invalid: set[int] = field(default_factory=set)

    def add_items(self, items: Iterable[CountItem]) -> None:
        """Add the counts of sources, or subtract those of counters."""
        for table, key, amount, is_invalid in items:
            mark = _hash_place(table, key)
            self.totals[mark % _SUMS] += amount * mark
            if is_invalid:
                self.invalid.add(mark % _SUMS)

    def add_sums(self, other: "CountSums") -> None:
        """Add the sums of another part."""
        self.totals = [mine + others for mine, others in zip(self.totals, other.totals, strict=True)]
        self.invalid |= other.invalid

    def find_wrong_sums(self) -> set[int]:
        """Return the sums that contain a difference."""
        return self.invalid | {at for at, total in enumerate(self.totals) if total}


def find_counter_differences(
    tx: TableContext, registry: Registry, report_progress: Callable[[], None]
) -> dict[tuple[str, Key], int]:
    """Return what has to be added to which counters, by table and key; `report_progress` is called from time to time.

    A row of names or values counts as one; a missing one is also reported by `derived_check.list_derived_row_checks`.
    """
    sums = CountSums()
    sums.add_items(_iterate_required_and_stored_counts(tx, registry, report_progress))
    suspicious = sums.find_wrong_sums()
    if not suspicious:
        return {}
    differing: Counter[tuple[str, Key]] = Counter()
    senseless_ones = set()
    for table, key, amount, senseless in _iterate_required_and_stored_counts(tx, registry, report_progress):
        if _hash_place(table, key) % _SUMS in suspicious:
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


def derive_counts_of_entities(
    tx: TableContext, registry: Registry, entities: Sequence[StoredEntity]
) -> Iterator[CountItem]:
    """Yield the rows and counts that entities require."""
    for stored in entities:
        try:
            if not stored.entity["deleted"]:
                yield from _derive_required_counts(registry, stored)
            for key in past_values.derive_past_value_rows(tx, registry, stored.entity, stored.aspects):
                yield tables.VALUE_HISTORY.id, key, 1, False
        except UnreadableAspect:
            continue


def read_stored_counts_after(tx: TableContext, spec: TableSpec, after_key: Key) -> tuple[list[CountItem], Key | None]:
    """Return the next counts or rows of a table after a key, as amounts to subtract, and the last key; None at the end."""
    items: list[CountItem] = []
    for row in tx.get_table(spec.id).scan(sources_of_truth.build_range_after_key(after_key), _AT_ONCE):
        counted = (row["entities"] or 0) if spec in _COUNTS else 1
        items.append((spec.id, tuple(row[name] for name in spec.primary_key), -counted, counted <= 0))
    return items, items[-1][1] if items else None


def _hash_place(table: str, key: Key) -> int:
    """Return the same number in every process."""
    text = repr((table, key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _iterate_required_and_stored_counts(
    tx: TableContext, registry: Registry, tick: Callable[[], None]
) -> Iterator[CountItem]:
    after = ""
    while page := sources_of_truth.list_stored_entities_after(tx, after):
        tick()
        yield from derive_counts_of_entities(tx, registry, page)
        after = page[-1].entity["urn"]
    for spec in COMPARED:
        place: Key | None = ()
        while place is not None:
            tick()
            items, place = read_stored_counts_after(tx, spec, place)
            yield from items


def _derive_required_counts(registry: Registry, stored: StoredEntity) -> Iterator[CountItem]:
    """Yield the rows and counts that an existing entity requires."""
    entity, values = stored.entity, set(sources_of_truth.derive_search_value_rows(registry, stored))
    for table, keys in index.build_counter_keys(
        entity, set() if sources_of_truth.is_entity_left_out_of_lists(registry, stored) else values
    ):
        for key in keys:
            yield table, key, 1, False
    for key in index.build_stored_value_rows(entity, values):
        yield tables.METADATA_VALUES.id, key, 1, False
    yield tables.ENTITY_NAMES.id, tuple(entity[part] for part in tables.ENTITY_NAMES.primary_key), 1, False
