"""Aspects as DataHub's clients read them: with what people say of the same entity (core/datahub/scope_union.py).

The version of a union is the sum of the versions of both its aspects, so that it grows with each change of either: a
condition on it finds every change since it was read. Versions of both go on after a deletion, so it never repeats.
"""

from collections.abc import Collection, Mapping

from jupyter_colophon.core.datahub.scope_union import PEOPLE, UNITED, entries_of, unite
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX, simple
from jupyter_colophon.core.model.proposal import ABSENT
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.spi import Row, TableContext


def standing(name: str, own: Row | None, people: Row | None) -> tuple[int, int | None]:
    """Return (version or -1, time in ms) of a union, given the rows of both its aspects."""
    rows = [row for row in (own, people) if row is not None]
    has_own = own is not None and own["value"] is not None
    if not has_own and not (people is not None and entries_of(name, _value(people))):
        return ABSENT, None
    return sum(row["version"] for row in rows), max(row["time"] for row in rows)


def add_people(
    tx: TableContext, registry: Registry, urn: Urn, present: Mapping[str, Aspect], names: Collection[str] | None
) -> dict[str, Aspect]:
    """Return the aspects that an entity has (those of `names`, or all) as unions, where they are read so."""
    kind, found = registry.stored_type(urn.type), dict(present)
    wanted = [name for name in UNITED if (names is None or name in names) and kind.aspect(name) is not None]
    table = tx.table("aspects")
    people = table.read((str(urn), PEOPLE)) if wanted else None
    if people is None:
        return found
    rows = {row["aspect"]: row for row in table.multi_read([(str(urn), name) for name in wanted])}
    for name in wanted:
        united = _united(name, rows.get(name), people, present.get(name))
        if united is not None:
            found[name] = united
    return found


def _united(name: str, own: Row | None, people: Row, aspect: Aspect | None) -> Aspect | None:
    stamp = {"time": people["time"], "actor": _actor(people["actor"])}
    value = unite(name, None if aspect is None else aspect.value, entries_of(name, _value(people)), stamp)
    if value is None:
        return None
    version, time = standing(name, own, people)
    newest = max((row for row in (own, people) if row is not None), key=lambda row: int(row["time"]))
    return Aspect(
        name,
        "SYSTEM" if aspect is None else aspect.scope,
        version,
        value,
        newest["actor"],
        newest["via"],
        time or 0,
        None if aspect is None else aspect.system,
    )


def _value(row: Row) -> Mapping[str, object] | None:
    return None if row["value"] is None else stored(row["value"])


def _actor(user: str) -> str:
    return user if user.startswith(PREFIX) else str(simple("corpuser", user or "unknown"))
