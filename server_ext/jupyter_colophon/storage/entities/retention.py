"""Letting go of old versions of aspects, a few with each new one, and since when the past is whole (spec MODEL-18)."""

from itertools import pairwise
from typing import Final

from jupyter_colophon.core.errors import HistoryExpired
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.retention import RetentionRule
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.storage.search import past_values
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many versions one write lets go at most: two for each new one, where a rule became stricter.
_AT_ONCE: Final = 2
_BEGINS: Final = "history-begins"


def trim(tx: TableContext, entity: Row, spec: AspectSpec, kept: RetentionRule, aspect: Row, now: int) -> None:
    """Let go of versions of an aspect that need not be kept any more; never of the present one."""
    floor, newest = aspect.get("floor") or 0, aspect["version"]
    if kept.age_ms is None and kept.versions is not None and newest - kept.versions <= floor:
        return
    within = Range((entity["urn"], spec.name, floor + 1), (entity["urn"], spec.name, newest))
    rows = list(tx.table("aspect_versions").scan(within, _AT_ONCE + 1))
    gone: list[Row] = []
    for version, following in pairwise(rows):
        if not _is_over(kept, newest, version, following, now):
            break
        _let_go(tx, entity, spec, version, following)
        gone.append(following)
    if gone:
        aspect["floor"] = gone[-1]["version"] - 1
        tx.table("aspects").update({"urn": entity["urn"], "aspect": spec.name, "floor": aspect["floor"]})
        _begin(tx, gone[-1]["time"])


def require_kept(tx: TableContext, as_of: int | None) -> None:
    """Raise HistoryExpired if part of the history at a time was deleted."""
    if as_of is not None and as_of < (begins := _begins(tx)):
        raise HistoryExpired(format_time(begins))


def _is_over(kept: RetentionRule, newest: int, version: Row, following: Row, now: int) -> bool:
    if kept.versions is not None and version["version"] <= newest - kept.versions:
        return True
    return kept.age_ms is not None and following["time"] < now - kept.age_ms


def _let_go(tx: TableContext, entity: Row, spec: AspectSpec, version: Row, following: Row) -> None:
    for row in past_values.lost(entity, spec, version, following["value"], following["time"]):
        tx.table(past_values.TABLE).delete(tuple(row[name] for name in past_values.KEY))
    tx.table("aspect_versions").delete((version["urn"], version["aspect"], version["version"]))


def _begin(tx: TableContext, time: int) -> None:
    """The past is whole from this time on."""
    if time > _begins(tx):
        tx.table("settings").upsert({"name": _BEGINS, "value": str(time).encode()})


def _begins(tx: TableContext) -> int:
    row = tx.table("settings").read((_BEGINS,))
    return 0 if row is None else int(row["value"])
