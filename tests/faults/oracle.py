"""What must be true of a store after any fault (spec FAULT-1)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from faults.workload import ASPECTS, Write
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.lineage.graph import EVER
from jupyter_colophon.storage.spi import Range, Row, TableContext
from support.catalog import search


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """A write that was acknowledged, with the (URN, aspect, version) it made."""

    number: str
    written: tuple[tuple[str, str, int], ...]


def acknowledged(text: str) -> Iterator[Acknowledged]:
    """The acknowledgements in what a writer said; a line that was cut off is none."""
    for line in text.split("\n")[:-1]:
        told = json.loads(line)
        if "number" in told:
            yield Acknowledged(
                told["number"], tuple((urn, aspect, version) for urn, aspect, version in told["written"])
            )


def faults(catalog: Catalog, writes: Iterable[Acknowledged]) -> list[str]:
    """Every way in which the store breaks a promise; none is what a test wants."""
    versions, current, log, accesses = catalog.provider.tx_runner.run(_read, read_only=True)
    found = list(_lost(versions, writes))
    found += _half(versions)
    found += _disagreeing(versions, current, log)
    found += _unfound(catalog, current)
    found += _unlinked(catalog, accesses)
    return found


def _read(tx: TableContext) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
    rows = [list(tx.table(name).scan(Range())) for name in ("aspect_versions", "aspects", "accesses")]
    log: list[Row] = []
    while part := tx.log.read(log[-1]["seq"] if log else 0, 10_000, {}):
        log += part
    return rows[0], rows[1], log, rows[2]


def _number(row: Row) -> str | None:
    value = json.loads(row["value"] or "{}")
    number = value.get("properties", {}).get("number") if isinstance(value, dict) else None
    return number if isinstance(number, str) else None


def _lost(versions: list[Row], writes: Iterable[Acknowledged]) -> Iterator[str]:
    values = {(row["urn"], row["aspect"], row["version"]): row["value"] for row in versions}
    for write in writes:
        value = compact(Write(write.number).value)
        for place in write.written:
            if values.get(place) != value:
                yield f"acknowledged and lost: {write.number} at {place}"


def _half(versions: list[Row]) -> Iterator[str]:
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in versions:
        if (number := _number(row)) is not None:
            places[number].add((row["urn"], row["aspect"]))
            if row["value"] != compact(Write(number).value):
                yield f"other bytes: {number} at {row['urn']}"
    for number, found in places.items():
        if found != {(urn, aspect) for urn in Write(number).urns for aspect in ASPECTS}:
            yield f"half there: {number}"


def _disagreeing(versions: list[Row], current: list[Row], log: list[Row]) -> Iterator[str]:
    """Versions without gaps, the newest is the current one, and each was announced once, in this order."""
    history: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in versions:
        history[row["urn"], row["aspect"]].append(row)
    for place, rows in history.items():
        if [row["version"] for row in rows] != list(range(1, len(rows) + 1)):
            yield f"versions with gaps at {place}"
    newest = {place: rows[-1]["value"] for place, rows in history.items()}
    if {(row["urn"], row["aspect"]): row["value"] for row in current} != newest:
        yield "a current value is not the newest version"
    yield from _unannounced(history, log)


def _unannounced(history: dict[tuple[str, str], list[Row]], log: list[Row]) -> Iterator[str]:
    if [row["seq"] for row in log] != sorted({row["seq"] for row in log}):
        yield "the change log is out of order"
    announced: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in log:
        if row["aspect"] is not None:
            announced[row["urn"], row["aspect"]].append((row["version"], row["value"]))
    for place, rows in history.items():
        if announced.pop(place, []) != [(row["version"], row["value"]) for row in rows]:
            yield f"the change log tells another story of {place}"
    for place in announced:
        yield f"announced and not there: {place}"


def _unfound(catalog: Catalog, current: list[Row]) -> Iterator[str]:
    """Search finds every dataset by its present number, and by no other."""
    for row in current:
        if row["aspect"] == ASPECTS[0] and (number := _number(row)) is not None:
            hits = {hit.summary.urn for hit in search(catalog, f"number:{number}").hits}
            if row["urn"] not in hits:
                yield f"not found by search: {row['urn']}"
    total = search(catalog, "tags:written").total
    there = {row["urn"] for row in current if _number(row) is not None}
    if total != len(there):
        yield f"search counts {total} of {len(there)}"


def _unlinked(catalog: Catalog, accesses: list[Row]) -> Iterator[str]:
    """Every access is an edge of the lineage, with that run."""

    def work(tx: TableContext) -> list[str]:
        missing = []
        for row in accesses:
            runs = {run for _, run in tx.edges.runs_of(row["data"], EVER, 100_000, None)}
            if row["run"] not in runs:
                missing.append(f"an access is no edge: {row['run']} and {row['data']}")
        return missing

    yield from catalog.provider.tx_runner.run(work, read_only=True)
