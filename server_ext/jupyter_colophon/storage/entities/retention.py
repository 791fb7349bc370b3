"""Delete old versions of aspects, a few with each new one, and record since when history is complete (spec MODEL-18)."""

from itertools import pairwise, takewhile
from typing import Final

from jupyter_colophon.core.errors import HistoryExpired
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.retention import RetentionRule
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.search import past_values
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The most versions that one write deletes: two for each new one, to catch up after a rule became stricter.
VERSIONS_OF_WRITE: Final = 2
_BEGINS: Final = "history-begins"


def delete_expired_versions(
    tx: TableContext,
    entity: Row,
    spec: AspectSpec,
    rule: RetentionRule,
    aspect: Row,
    now: int,
    limit: int = VERSIONS_OF_WRITE,
) -> int:
    """Delete versions of an aspect that need not be kept, up to `limit` and never the present one; return their number."""
    expired = list_expired_versions(tx, rule, aspect, now, limit)
    for version, following in expired:
        _delete_version(tx, entity, spec, version, following)
    if expired:
        following = expired[-1][1]
        aspect["floor"] = following["version"] - 1
        tx.get_table("aspects").update({"urn": entity["urn"], "aspect": spec.name, "floor": aspect["floor"]})
        _advance_history_start(tx, following["time"])
    return len(expired)


def list_expired_versions(
    tx: TableContext, rule: RetentionRule, aspect: Row, now: int, limit: int, after: int = 0
) -> list[tuple[Row, Row]]:
    """Return versions of an aspect that need not be kept, each with the next one: the oldest after a version, up to
    `limit`.
    """
    floor, newest = max(aspect.get("floor") or 0, after), aspect["version"]
    if rule.age_ms is None and rule.versions is not None and newest - rule.versions <= floor:
        return []
    within = Range((aspect["urn"], aspect["aspect"], floor + 1), (aspect["urn"], aspect["aspect"], newest))
    pairs = pairwise(list(tx.get_table("aspect_versions").scan(within, limit + 1)))
    return list(takewhile(lambda pair: _is_version_expired(rule, newest, *pair, now), pairs))


def require_history_kept_at(tx: TableContext, as_of: int | None) -> None:
    """Raise HistoryExpired if part of the history at a time was deleted."""
    if as_of is not None and as_of < (begins := _read_history_start(tx)):
        raise HistoryExpired(format_ms_as_iso_time(begins))


def _is_version_expired(rule: RetentionRule, newest: int, version: Row, following: Row, now: int) -> bool:
    if rule.versions is not None and version["version"] <= newest - rule.versions:
        return True
    return rule.age_ms is not None and following["time"] < now - rule.age_ms


def _delete_version(tx: TableContext, entity: Row, spec: AspectSpec, version: Row, following: Row) -> None:
    for row in past_values.derive_past_value_rows_of_version(
        entity, spec, version, following["value"], following["time"]
    ):
        tx.get_table(past_values.TABLE).delete(tuple(row[name] for name in past_values.KEY))
    tx.get_table("aspect_versions").delete((version["urn"], version["aspect"], version["version"]))


def _advance_history_start(tx: TableContext, time: int) -> None:
    """Record that history is complete from this time on."""
    if time > _read_history_start(tx):
        tx.get_table("settings").upsert({"name": _BEGINS, "value": str(time).encode()})


def _read_history_start(tx: TableContext) -> int:
    row = tx.get_table("settings").read((_BEGINS,))
    return 0 if row is None else int(row["value"])
