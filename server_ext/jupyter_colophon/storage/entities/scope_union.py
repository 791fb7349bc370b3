"""Aspects as DataHub's clients read them: united with the USER aspect of the same entity (core/datahub/scope_union.py).

The version of a union is the sum of both versions, so each change of either increases it, and a condition on it detects
every change since it was read. Both versions continue after a deletion, so the sum never repeats.
"""

from collections.abc import Collection, Mapping

from jupyter_colophon.core.datahub.scope_union import (
    UNION_RULES,
    USER_ASPECT,
    list_user_entries,
    merge_user_entries_into_aspect,
)
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import PREFIX, make_single_key_urn
from jupyter_colophon.core.model.proposal import ABSENT
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.spi import Row, TableContext


def get_newest_version_of_union(aspect: str, own_row: Row | None, user_row: Row | None) -> tuple[int, int | None]:
    """Return (version or -1, time in ms) of a union, given the rows of both aspects."""
    rows = [row for row in (own_row, user_row) if row is not None]
    has_own = own_row is not None and own_row["value"] is not None
    if not has_own and not (user_row is not None and list_user_entries(aspect, _parse_row_value(user_row))):
        return ABSENT, None
    return sum(row["version"] for row in rows), max(row["time"] for row in rows)


def merge_user_entries_into_aspects(
    tx: TableContext, registry: Registry, urn: Urn, present: Mapping[str, Aspect], names: Collection[str] | None
) -> dict[str, Aspect]:
    """Return the aspects of an entity (those of `names`, or all), as unions where clients read unions."""
    kind, aspects = registry.get_type_or_unregistered(urn.type), dict(present)
    names_of_unions = [
        name for name in UNION_RULES if (names is None or name in names) and kind.find_aspect(name) is not None
    ]
    table = tx.get_table("aspects")
    people = table.read((str(urn), USER_ASPECT)) if names_of_unions else None
    if people is None:
        return aspects
    rows = {row["aspect"]: row for row in table.read_many([(str(urn), name) for name in names_of_unions])}
    for name in names_of_unions:
        united = _merge_aspect_with_user_entries(name, rows.get(name), people, present.get(name))
        if united is not None:
            aspects[name] = united
    return aspects


def _merge_aspect_with_user_entries(
    aspect_name: str, own_row: Row | None, user_row: Row, aspect: Aspect | None
) -> Aspect | None:
    stamp = {"time": user_row["time"], "actor": _to_actor_urn(user_row["actor"])}
    value = merge_user_entries_into_aspect(
        aspect_name,
        None if aspect is None else aspect.value,
        list_user_entries(aspect_name, _parse_row_value(user_row)),
        stamp,
    )
    if value is None:
        return None
    version, time = get_newest_version_of_union(aspect_name, own_row, user_row)
    newest = max((row for row in (own_row, user_row) if row is not None), key=lambda row: int(row["time"]))
    return Aspect(
        aspect_name,
        "SYSTEM" if aspect is None else aspect.scope,
        version,
        value,
        newest["actor"],
        newest["via"],
        time or 0,
        None if aspect is None else aspect.system,
    )


def _parse_row_value(row: Row) -> Mapping[str, object] | None:
    return None if row["value"] is None else parse_stored_json(row["value"])


def _to_actor_urn(user: str) -> str:
    return user if user.startswith(PREFIX) else str(make_single_key_urn("corpuser", user or "unknown"))
