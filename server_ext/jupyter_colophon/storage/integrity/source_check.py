"""Truth held against itself: is what the catalog was told still whole?

Each step looks at a slice in one short transaction and tells what it finds, never a value.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.core.model.key_aspect import has_key, key_aspect
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import AT_ONCE, StoredEntity, Way
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

_STATUSES = {"running", "succeeded", "failed", "killed"}
#: The version number of timeseries values (storage/commit/timeseries.py).
_OF_A_MOMENT = 0
_VERSION_PARTS = ("version", "value", "actor", "via", "time")
#: The columns that a change shares with the version it made; renaming an entity does not write its versions.
_PARTS_OF = {"create": _VERSION_PARTS, "update": _VERSION_PARTS, "rename": ("version", "value")}

Step = tuple[list[Finding], Any]


def inspections(registry: Registry) -> list[Way[Finding]]:
    """Return every check of the sources except that of the change log (storage/changes/signed_chain.py)."""
    return [
        Way("aspects", "", partial(_check_entities, registry)),
        Way("rows without an entity", (), partial(_check_owners, "aspects", ("urn", "aspect"), "entities", 1)),
        Way(
            "versions",
            (),
            partial(_check_owners, "aspect_versions", ("urn", "aspect", "version"), "aspects", 2),
        ),
        Way(
            "values by time", (), partial(_check_owners, "timeseries", ("urn", "aspect", "time", "part"), "entities", 1)
        ),
        Way("runs", (), _check_runs),
        Way("accesses", (), _check_accesses),
    ]


def version_fault(tx: TableContext, change: Row) -> Finding | None:
    """Return a finding if the version that a change made differs from what the change log has."""
    if change["aspect"] is None or change["value"] is None or change["operation"] not in _PARTS_OF:
        return None
    if change["version"] == _OF_A_MOMENT:
        return None
    row = tx.table("aspect_versions").read((change["urn"], change["aspect"], change["version"]))
    if row is not None and all(row[part] == change[part] for part in _PARTS_OF[change["operation"]]):
        return None
    if row is None and _is_trimmed(tx, change):
        return None
    what = "is missing" if row is None else f"differs from change {change['seq']}"
    return Finding(change["urn"], f"version {change['version']} of {change['aspect']} {what}")


def _is_trimmed(tx: TableContext, change: Row) -> bool:
    """Return whether retention has removed the version that a change made (storage/entities/retention.py)."""
    aspect = tx.table("aspects").read((change["urn"], change["aspect"]), ("floor",))
    return aspect is not None and change["version"] <= (aspect["floor"] or 0)


def _check_entities(registry: Registry, tx: TableContext, after: str) -> Step:
    found = sources_of_truth.entities_after(tx, after)
    findings = [finding for stored in found for finding in _check_entity(registry, tx, stored)]
    return findings, found[-1].entity["urn"] if len(found) == AT_ONCE else None


def _check_entity(registry: Registry, tx: TableContext, stored: StoredEntity) -> Iterator[Finding]:
    row = stored.entity
    urn = _urn(row["urn"])
    if urn is None or urn.type != row["type"] or None in (row["namespace"], row["name"], row["deleted"]):
        yield Finding(row["urn"], "its row is not a valid entity")
        return
    if row["deleted"]:
        for name in sorted(name for name, aspect in stored.aspects.items() if aspect["value"] is not None):
            yield Finding(row["urn"], f"it is deleted but has a value of {name}")
    else:
        yield from _check_key(registry, urn, stored)
    for name, aspect in stored.aspects.items():
        yield from (
            Finding(row["urn"], f"{name}: {fault}") for fault in _check_aspect(registry, tx, row["type"], aspect)
        )


def _check_key(registry: Registry, urn: Urn, stored: StoredEntity) -> Iterator[Finding]:
    """Check that the key aspect agrees with the URN."""
    try:
        kind = registry.type(urn.type)
    except NotFound:
        yield Finding(str(urn), "its type is not in the registry")
        return
    row = stored.aspects.get(kind.key_aspect)
    if not has_key(urn, kind):
        yield Finding(str(urn), "its URN does not have the parts of its type")
    elif row is None or _parsed(row["value"]) != key_aspect(urn, kind):
        yield Finding(str(urn), f"{kind.key_aspect}: differs from the URN")


def _check_aspect(registry: Registry, tx: TableContext, entity_type: str, row: Row) -> Iterator[str]:
    """Yield the faults of an aspect and its versions."""
    try:
        schema = registry.aspect(entity_type, row["aspect"]).schema
    except NotFound:
        yield "is not in the registry"
        return
    if row["value"] is not None:
        value = _parsed(row["value"])
        if value is None:
            yield "its value is not a JSON object"
        elif problems := schema.problems(value):
            places = ", ".join(sorted({problem.pointer or "the whole" for problem in problems})[:5])
            yield f"its value does not satisfy the schema at {places}"
    yield from _check_versions(tx, row)


def _check_versions(tx: TableContext, row: Row) -> Iterator[str]:
    """Check that versions are contiguous since the entity was created and that the newest is the present value."""
    base, newest, expected = max(row["base"] or 0, row["floor"] or 0), None, None
    for version in tx.table("aspect_versions").scan(Range.prefix(row["urn"], row["aspect"])):
        number = version["version"]
        if number > base:
            if number != (base + 1 if expected is None else expected):
                yield f"versions before {number} are missing"
            expected = number + 1
        if version["value"] is not None and _parsed(version["value"]) is None:
            yield f"the value of version {number} is not a JSON object"
        newest = version
    if newest is None:
        yield "it has no versions"
    elif any(newest[part] != row[part] for part in _VERSION_PARTS):
        yield f"the present value differs from version {newest['version']}"


def _check_owners(table: str, key: Sequence[str], owners: str, parts: int, tx: TableContext, place: Key) -> Step:
    """Find rows whose owner, named by the first parts of their key, does not exist."""
    rows = list(tx.table(table).scan(sources_of_truth.beyond(place), AT_ONCE))
    wanted = dict.fromkeys(tuple(row[name] for name in key[:parts]) for row in rows)
    there = {tuple(row[name] for name in key[:parts]) for row in tx.table(owners).multi_read(list(wanted))}
    findings = [Finding(one[0], f"a row of {table} has no owner") for one in wanted if one not in there]
    return findings, _next_place(rows, key)


def _check_runs(tx: TableContext, place: Key) -> Step:
    rows = sources_of_truth.runs_after(tx, place)
    programs = _existing(tx, {row["program"] for row in rows})
    findings = []
    for row in rows:
        sound = row["status"] in _STATUSES and row["start"] is not None and _parsed(row["facts"]) is not None
        if not sound:
            findings.append(Finding(str(row["urn"]), "its row is not a valid run"))
        if row["program"] not in programs:
            findings.append(Finding(str(row["urn"]), "its program does not exist"))
    return findings, _next_place(rows, ("program", "run_id"))


def _check_accesses(tx: TableContext, place: Key) -> Step:
    rows = list(tx.table("accesses").scan(sources_of_truth.beyond(place), AT_ONCE))
    runs = {urn for urn in {row["run"] for row in rows} if sources_of_truth.run(tx, urn) is not None}
    data = _existing(tx, {row["data"] for row in rows})
    findings = [
        Finding(row["run"], "an access belongs to a run that does not exist") for row in rows if row["run"] not in runs
    ]
    findings += [
        Finding(row["run"], "it has an access to an entity that does not exist")
        for row in rows
        if row["data"] not in data
    ]
    return findings, _next_place(rows, ("run", "data", "mode", "component"))


def _existing(tx: TableContext, urns: set[str]) -> set[str]:
    """Return those of these URNs that are, or were, entities."""
    return {row["urn"] for row in tx.table("entities").multi_read([(urn,) for urn in urns])}


def _urn(text: str) -> Urn | None:
    try:
        return Urn.parse(text)
    except InvalidName:
        return None


def _parsed(text: str | None) -> dict[str, Any] | None:
    """Parse a JSON object; None for anything else."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _next_place(rows: Sequence[Row], key: Sequence[str]) -> Key | None:
    return tuple(rows[-1][name] for name in key) if len(rows) == AT_ONCE else None
