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
from jupyter_colophon.storage.entities.sources_of_truth import AT_ONCE, Told, Way
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

_STATUSES = {"running", "succeeded", "failed", "killed"}
#: The version of what is told by time (storage/commit/timeseries.py).
_OF_A_MOMENT = 0
_VERSION_PARTS = ("version", "value", "actor", "via", "time")
#: What the change of a version has in common with it; who renames an entity did not write its versions.
_PARTS_OF = {"create": _VERSION_PARTS, "update": _VERSION_PARTS, "rename": ("version", "value")}

Step = tuple[list[Finding], Any]


def inspections(registry: Registry) -> list[Way[Finding]]:
    """All ways through truth, but for the change log (storage/changes/signed_chain.py)."""
    return [
        Way("aspects", "", partial(_entities, registry)),
        Way("rows without an entity", (), partial(_orphans, "aspects", ("urn", "aspect"), "entities", 1)),
        Way(
            "versions",
            (),
            partial(_orphans, "aspect_versions", ("urn", "aspect", "version"), "aspects", 2),
        ),
        Way("values by time", (), partial(_orphans, "timeseries", ("urn", "aspect", "time", "part"), "entities", 1)),
        Way("runs", (), _runs),
        Way("accesses", (), _accesses),
    ]


def version_fault(tx: TableContext, change: Row) -> Finding | None:
    """Whether the version that a change made is there as the change log has it."""
    if change["aspect"] is None or change["value"] is None or change["operation"] not in _PARTS_OF:
        return None
    if change["version"] == _OF_A_MOMENT:
        return None
    row = tx.table("aspect_versions").read((change["urn"], change["aspect"], change["version"]))
    if row is not None and all(row[part] == change[part] for part in _PARTS_OF[change["operation"]]):
        return None
    if row is None and _is_let_go(tx, change):
        return None
    what = "is missing" if row is None else f"is not what change {change['seq']} says"
    return Finding(change["urn"], f"version {change['version']} of {change['aspect']} {what}")


def _is_let_go(tx: TableContext, change: Row) -> bool:
    """Whether the version that a change made need not be there any more (storage/entities/retention.py)."""
    aspect = tx.table("aspects").read((change["urn"], change["aspect"]), ("floor",))
    return aspect is not None and change["version"] <= (aspect["floor"] or 0)


def _entities(registry: Registry, tx: TableContext, after: str) -> Step:
    found = sources_of_truth.entities_after(tx, after)
    findings = [finding for told in found for finding in _entity(registry, tx, told)]
    return findings, found[-1].entity["urn"] if len(found) == AT_ONCE else None


def _entity(registry: Registry, tx: TableContext, told: Told) -> Iterator[Finding]:
    row = told.entity
    urn = _urn(row["urn"])
    if urn is None or urn.type != row["type"] or None in (row["namespace"], row["name"], row["deleted"]):
        yield Finding(row["urn"], "its row is not that of an entity")
        return
    if row["deleted"]:
        for name in sorted(name for name, aspect in told.aspects.items() if aspect["value"] is not None):
            yield Finding(row["urn"], f"it is deleted, and yet has {name}")
    else:
        yield from _key(registry, urn, told)
    for name, aspect in told.aspects.items():
        yield from (Finding(row["urn"], f"{name}: {fault}") for fault in _aspect(registry, tx, row["type"], aspect))


def _key(registry: Registry, urn: Urn, told: Told) -> Iterator[Finding]:
    """The key aspect says what the URN says."""
    try:
        kind = registry.type(urn.type)
    except NotFound:
        yield Finding(str(urn), "its type is not in the registry")
        return
    row = told.aspects.get(kind.key_aspect)
    if not has_key(urn, kind):
        yield Finding(str(urn), "its URN has not the parts of its type")
    elif row is None or _parsed(row["value"]) != key_aspect(urn, kind):
        yield Finding(str(urn), f"{kind.key_aspect}: is not that of the URN")


def _aspect(registry: Registry, tx: TableContext, entity_type: str, row: Row) -> Iterator[str]:
    """What is wrong with an aspect and its versions."""
    try:
        schema = registry.aspect(entity_type, row["aspect"]).schema
    except NotFound:
        yield "is not in the registry"
        return
    if row["value"] is not None:
        value = _parsed(row["value"])
        if value is None:
            yield "its value is no JSON object"
        elif problems := schema.problems(value):
            places = ", ".join(sorted({problem.pointer or "the whole" for problem in problems})[:5])
            yield f"its value does not satisfy the schema at {places}"
    yield from _versions(tx, row)


def _versions(tx: TableContext, row: Row) -> Iterator[str]:
    """Versions are dense in the entity's present life, and the newest is the present value."""
    base, newest, expected = max(row["base"] or 0, row["floor"] or 0), None, None
    for version in tx.table("aspect_versions").scan(Range.prefix(row["urn"], row["aspect"])):
        number = version["version"]
        if number > base:
            if number != (base + 1 if expected is None else expected):
                yield f"versions before {number} are missing"
            expected = number + 1
        if version["value"] is not None and _parsed(version["value"]) is None:
            yield f"the value of version {number} is no JSON object"
        newest = version
    if newest is None:
        yield "it has no versions"
    elif any(newest[part] != row[part] for part in _VERSION_PARTS):
        yield f"the present value is not that of version {newest['version']}"


def _orphans(table: str, key: Sequence[str], owners: str, parts: int, tx: TableContext, place: Key) -> Step:
    """Rows whose owner, named by the first parts of their key, is not there."""
    rows = list(tx.table(table).scan(sources_of_truth.beyond(place), AT_ONCE))
    wanted = dict.fromkeys(tuple(row[name] for name in key[:parts]) for row in rows)
    there = {tuple(row[name] for name in key[:parts]) for row in tx.table(owners).multi_read(list(wanted))}
    findings = [Finding(one[0], f"a row of {table} stands alone") for one in wanted if one not in there]
    return findings, _place(rows, key)


def _runs(tx: TableContext, place: Key) -> Step:
    rows = sources_of_truth.runs_after(tx, place)
    programs = _there(tx, {row["program"] for row in rows})
    findings = []
    for row in rows:
        sound = row["status"] in _STATUSES and row["start"] is not None and _parsed(row["facts"]) is not None
        if not sound:
            findings.append(Finding(str(row["urn"]), "its row is not that of a run"))
        if row["program"] not in programs:
            findings.append(Finding(str(row["urn"]), "its program is not there"))
    return findings, _place(rows, ("program", "run_id"))


def _accesses(tx: TableContext, place: Key) -> Step:
    rows = list(tx.table("accesses").scan(sources_of_truth.beyond(place), AT_ONCE))
    runs = {urn for urn in {row["run"] for row in rows} if sources_of_truth.run(tx, urn) is not None}
    data = _there(tx, {row["data"] for row in rows})
    findings = [
        Finding(row["run"], "an access stands alone: there is no such run") for row in rows if row["run"] not in runs
    ]
    findings += [Finding(row["run"], "it touched what is not there") for row in rows if row["data"] not in data]
    return findings, _place(rows, ("run", "data", "mode", "component"))


def _there(tx: TableContext, urns: set[str]) -> set[str]:
    """Those of these that are, or were, entities."""
    return {row["urn"] for row in tx.table("entities").multi_read([(urn,) for urn in urns])}


def _urn(text: str) -> Urn | None:
    try:
        return Urn.parse(text)
    except InvalidName:
        return None


def _parsed(text: str | None) -> dict[str, Any] | None:
    """An object; None for what is none."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _place(rows: Sequence[Row], key: Sequence[str]) -> Key | None:
    return tuple(rows[-1][name] for name in key) if len(rows) == AT_ONCE else None
