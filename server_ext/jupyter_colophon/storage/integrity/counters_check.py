"""The counts of keys and values, and how many names and values there are, held against truth.

Counts are sums over all entities, so they are reckoned from one snapshot, twice where they differ: first every key goes
into one of some thousand sums, truth with plus and counts with minus; then only the keys of sums that are not zero
are counted one by one. So a sound catalog needs no memory, however many keys it has.

A difference stays what it is while others write, since they add and subtract: it is mended by adding it.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import Told, Unreadable
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Key, TableContext

_COUNTS = (tables.KEY_COUNTS, tables.VALUE_COUNTS)
_ROWS = (tables.ENTITY_NAMES, tables.METADATA_VALUES, tables.VALUE_HISTORY)
#: The tables that count; of the others, rows are counted.
COUNTED = frozenset(spec.id for spec in _COUNTS)
_SUMS = 4_096
_AT_ONCE = 1_000

#: A table and a key in it, how much is added, and whether that makes no sense whatever the sum.
_Item = tuple[str, Key, int, bool]


def differences(tx: TableContext, registry: Registry, tick: Callable[[], None]) -> dict[tuple[str, Key], int]:
    """What has to be added to which counts, by table and key; `tick` is called now and then.

    A row of names or values is a count of one; what is missing there is told by `comparison` as well.
    """
    sums = [0] * _SUMS
    suspicious = set()
    for table, key, amount, senseless in _items(tx, registry, tick):
        mark = hash((table, key))
        sums[mark % _SUMS] += amount * mark
        if senseless:
            suspicious.add(mark % _SUMS)
    suspicious |= {at for at, total in enumerate(sums) if total}
    if not suspicious:
        return {}
    found: Counter[tuple[str, Key]] = Counter()
    senseless_ones = set()
    for table, key, amount, senseless in _items(tx, registry, tick):
        if hash((table, key)) % _SUMS in suspicious:
            found[table, key] += amount
            if senseless:
                senseless_ones.add((table, key))
    return {place: amount for place, amount in found.items() if amount or place in senseless_ones}


def mend(table: str, key: Key, amount: int, tx: TableContext) -> None:
    """Add a difference to a count; what is then nothing goes."""
    if tx.table(table).increment(key, "entities", amount) <= 0:
        tx.table(table).delete(key)


def urn_in(table: str, key: Key) -> str:
    """The entity of a row of names or values."""
    spec = next(one for one in _ROWS if one.id == table)
    return str(key[spec.primary_key.index("urn")])


def _items(tx: TableContext, registry: Registry, tick: Callable[[], None]) -> Iterator[_Item]:
    for told in sources_of_truth.entities(tx):
        tick()
        try:
            if not told.entity["deleted"]:
                yield from _asked(registry, told)
            for key in past_values.of_history(tx, registry, told.entity, told.aspects):
                yield tables.VALUE_HISTORY.id, key, 1, False
        except Unreadable:
            continue
    for spec in (*_COUNTS, *_ROWS):
        place: Key = ()
        while rows := list(tx.table(spec.id).scan(sources_of_truth.beyond(place), _AT_ONCE)):
            tick()
            for row in rows:
                place = tuple(row[name] for name in spec.primary_key)
                counted = (row["entities"] or 0) if spec in _COUNTS else 1
                yield spec.id, place, -counted, counted <= 0


def _asked(registry: Registry, told: Told) -> Iterator[_Item]:
    """What a living entity asks for."""
    entity, said = told.entity, set(sources_of_truth.said(registry, told))
    for table, keys in index.counted(entity, set() if sources_of_truth.is_removed(registry, told) else said):
        for key in keys:
            yield table, (entity["namespace"], *key), 1, False
    for key in index.stored(entity, said):
        yield tables.METADATA_VALUES.id, key, 1, False
    yield tables.ENTITY_NAMES.id, tuple(entity[part] for part in tables.ENTITY_NAMES.primary_key), 1, False
