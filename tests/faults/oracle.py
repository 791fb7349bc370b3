"""The guarantees of a store after any fault (spec FAULT-1)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from faults.workload import ASPECTS, Write
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.storage.spi import Range, Row, TableContext
from support.catalog import search_catalog


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledged write, with the (URN, aspect, version) that it wrote."""

    number: str
    written: tuple[tuple[str, str, int], ...]


def parse_acknowledgements(text: str) -> Iterator[Acknowledged]:
    """Yield the acknowledgements in a writer's output, ignoring a truncated line."""
    for line in text.split("\n")[:-1]:
        entry = json.loads(line)
        if "number" in entry:
            yield Acknowledged(
                entry["number"], tuple((urn, aspect, version) for urn, aspect, version in entry["written"])
            )


def find_violations(catalog: Catalog, writes: Iterable[Acknowledged]) -> list[str]:
    """Return every violated guarantee of the store."""
    versions, current, log, accesses = catalog.provider.tx_runner.run(_read, read_only=True)
    found = list(_find_lost(versions, writes))
    found += _find_partial(versions)
    found += _find_disagreements(versions, current, log)
    found += _find_unsearchable(catalog, current)
    found += _find_unlinked(catalog, accesses)
    return found


def _read(tx: TableContext) -> tuple[list[Row], list[Row], list[Row], list[Row]]:
    rows = [list(tx.get_table(name).scan(Range())) for name in ("aspect_versions", "aspects", "accesses")]
    log: list[Row] = []
    while part := tx.log.read_changes(log[-1]["seq"] if log else 0, 10_000, {}):
        log += part
    return rows[0], rows[1], log, rows[2]


def _get_number(row: Row) -> str | None:
    value = json.loads(row["value"] or "{}")
    number = value.get("properties", {}).get("number") if isinstance(value, dict) else None
    return number if isinstance(number, str) else None


def _find_lost(versions: list[Row], writes: Iterable[Acknowledged]) -> Iterator[str]:
    values = {(row["urn"], row["aspect"], row["version"]): row["value"] for row in versions}
    for write in writes:
        value = encode_canonical_json(Write(write.number).value)
        for place in write.written:
            if values.get(place) != value:
                yield f"acknowledged and lost: {write.number} at {place}"


def _find_partial(versions: list[Row]) -> Iterator[str]:
    places: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in versions:
        if (number := _get_number(row)) is not None:
            places[number].add((row["urn"], row["aspect"]))
            if row["value"] != encode_canonical_json(Write(number).value):
                yield f"other bytes: {number} at {row['urn']}"
    for number, found in places.items():
        if found != {(urn, aspect) for urn in Write(number).urns for aspect in ASPECTS}:
            yield f"partly written: {number}"


def _find_disagreements(versions: list[Row], current: list[Row], log: list[Row]) -> Iterator[str]:
    """Check that versions have no gaps, the newest is the current one, and each is in the log once, in this order."""
    history: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in versions:
        history[row["urn"], row["aspect"]].append(row)
    for place, rows in history.items():
        if [row["version"] for row in rows] != list(range(1, len(rows) + 1)):
            yield f"versions with gaps at {place}"
    newest = {place: rows[-1]["value"] for place, rows in history.items()}
    if {(row["urn"], row["aspect"]): row["value"] for row in current} != newest:
        yield "a current value is not the newest version"
    yield from _find_unlogged(history, log)


def _find_unlogged(history: dict[tuple[str, str], list[Row]], log: list[Row]) -> Iterator[str]:
    if [row["seq"] for row in log] != sorted({row["seq"] for row in log}):
        yield "the change log is out of order"
    announced: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in log:
        if row["aspect"] is not None:
            announced[row["urn"], row["aspect"]].append((row["version"], row["value"]))
    for place, rows in history.items():
        if announced.pop(place, []) != [(row["version"], row["value"]) for row in rows]:
            yield f"the change log differs from the versions of {place}"
    for place in announced:
        yield f"in the log but not stored: {place}"


def _find_unsearchable(catalog: Catalog, current: list[Row]) -> Iterator[str]:
    """Check that search finds every dataset by its present number only."""
    for row in current:
        if row["aspect"] == ASPECTS[0] and (number := _get_number(row)) is not None:
            hits = {hit.summary.urn for hit in search_catalog(catalog, f"number:{number}").hits}
            if row["urn"] not in hits:
                yield f"not found by search: {row['urn']}"
    total = search_catalog(catalog, "tags:written").total
    there = {row["urn"] for row in current if _get_number(row) is not None}
    if total != len(there):
        yield f"search counts {total} of {len(there)}"


def _find_unlinked(catalog: Catalog, accesses: list[Row]) -> Iterator[str]:
    """Check that every access is an edge of the lineage with its run."""

    def work(tx: TableContext) -> list[str]:
        missing = []
        for row in accesses:
            runs = {run for _, run in tx.edges.list_runs_of_data(row["data"], ALL_TIME, 100_000, None)}
            if row["run"] not in runs:
                missing.append(f"an access is not an edge: {row['run']} and {row['data']}")
        return missing

    yield from catalog.provider.tx_runner.run(work, read_only=True)
