"""Check the stored sources: are they complete and consistent?

Each step checks a slice in one short transaction and reports issues without values.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.model.key_aspect import build_key_aspect, has_valid_key
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.sources_of_truth import AT_ONCE, CheckStep, StoredEntity
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

_STATUSES = {"running", "succeeded", "failed", "killed"}
#: The version number of timeseries values (storage/commit/timeseries.py).
_OF_A_MOMENT = 0
_VERSION_PARTS = ("version", "value", "actor", "via", "time")
#: The columns that a change shares with the version it made; renaming an entity does not write its versions.
_PARTS_OF = {"create": _VERSION_PARTS, "update": _VERSION_PARTS, "rename": ("version", "value")}

Step = tuple[list[IntegrityIssue], Any]


def list_source_checks(registry: Registry) -> list[CheckStep[IntegrityIssue]]:
    """Return every check of the sources except that of the change log (storage/changes/signed_chain.py)."""
    return [
        CheckStep("aspects", "", partial(_find_issues_of_entities, registry)),
        CheckStep(
            "rows without an entity", (), partial(_find_rows_without_owner, "aspects", ("urn", "aspect"), "entities", 1)
        ),
        CheckStep(
            "versions",
            (),
            partial(_find_rows_without_owner, "aspect_versions", ("urn", "aspect", "version"), "aspects", 2),
        ),
        CheckStep(
            "timeseries values",
            (),
            partial(_find_rows_without_owner, "timeseries", ("urn", "aspect", "time", "part"), "entities", 1),
        ),
        CheckStep("runs", (), _find_run_issues),
        CheckStep("accesses", (), _find_access_issues, "run"),
    ]


def find_change_version_issue(tx: TableContext, change: Row) -> IntegrityIssue | None:
    """Return a finding if the version that a change made differs from what the change log has."""
    if change["aspect"] is None or change["value"] is None or change["operation"] not in _PARTS_OF:
        return None
    if change["version"] == _OF_A_MOMENT:
        return None
    row = tx.get_table("aspect_versions").read((change["urn"], change["aspect"], change["version"]))
    if row is not None and all(row[part] == change[part] for part in _PARTS_OF[change["operation"]]):
        return None
    if row is None and _is_removed_by_retention(tx, change):
        return None
    what = "is missing" if row is None else f"differs from change {change['seq']}"
    return IntegrityIssue(change["urn"], f"version {change['version']} of {change['aspect']} {what}")


def _is_removed_by_retention(tx: TableContext, change: Row) -> bool:
    """Return whether retention has removed the version that a change made (storage/entities/retention.py)."""
    aspect = tx.get_table("aspects").read((change["urn"], change["aspect"]), ("floor",))
    return aspect is not None and change["version"] <= (aspect["floor"] or 0)


def _find_issues_of_entities(registry: Registry, tx: TableContext, after: str) -> Step:
    entities = sources_of_truth.list_stored_entities_after(tx, after)
    findings = [finding for stored in entities for finding in _find_issues_of_entity(registry, tx, stored)]
    return findings, entities[-1].entity["urn"] if len(entities) == AT_ONCE else None


def _find_issues_of_entity(registry: Registry, tx: TableContext, stored: StoredEntity) -> Iterator[IntegrityIssue]:
    row = stored.entity
    urn = _parse_urn_or_none(row["urn"])
    if urn is None or urn.type != row["type"] or None in (row["namespace"], row["name"], row["deleted"]):
        yield IntegrityIssue(row["urn"], "its row is not a valid entity")
        return
    if row["deleted"]:
        for name in sorted(name for name, aspect in stored.aspects.items() if aspect["value"] is not None):
            yield IntegrityIssue(row["urn"], f"it is deleted but has a value of {name}")
    else:
        yield from _find_key_aspect_issues(registry, urn, stored)
    for name, aspect in stored.aspects.items():
        yield from (
            IntegrityIssue(row["urn"], f"{name}: {fault}")
            for fault in _find_aspect_issues(registry, tx, row["type"], aspect)
        )


def _find_key_aspect_issues(registry: Registry, urn: Urn, stored: StoredEntity) -> Iterator[IntegrityIssue]:
    """Check that the key aspect agrees with the URN."""
    try:
        kind = registry.get_type(urn.type)
    except NotFound:
        yield IntegrityIssue(str(urn), "its type is not in the registry")
        return
    row = stored.aspects.get(kind.key_aspect)
    if not has_valid_key(urn, kind):
        yield IntegrityIssue(str(urn), "its URN does not have the parts of its type")
    elif row is None or _parse_object_or_none(row["value"]) != build_key_aspect(urn, kind):
        yield IntegrityIssue(str(urn), f"{kind.key_aspect}: differs from the URN")


def _find_aspect_issues(registry: Registry, tx: TableContext, entity_type: str, row: Row) -> Iterator[str]:
    """Yield the issues of an aspect and its versions."""
    try:
        schema = registry.get_aspect(entity_type, row["aspect"]).schema
    except NotFound:
        yield "is not in the registry"
        return
    if row["value"] is not None:
        value = _parse_object_or_none(row["value"])
        if value is None:
            yield "its value is not a JSON object"
        elif problems := schema.find_all_problems(value):
            places = ", ".join(sorted({problem.pointer or "the whole" for problem in problems})[:5])
            yield f"its value does not satisfy the schema at {places}"
    yield from _find_version_issues(tx, row)


def _find_version_issues(tx: TableContext, row: Row) -> Iterator[str]:
    """Check that versions are contiguous since the entity was created and that the newest is the present value."""
    base, newest, expected = max(row["base"] or 0, row["floor"] or 0), None, None
    for version in tx.get_table("aspect_versions").scan(Range.prefix(row["urn"], row["aspect"])):
        number = version["version"]
        if number > base:
            if number != (base + 1 if expected is None else expected):
                yield f"versions before {number} are missing"
            expected = number + 1
        if version["value"] is not None and _parse_object_or_none(version["value"]) is None:
            yield f"the value of version {number} is not a JSON object"
        newest = version
    if newest is None:
        yield "it has no versions"
    elif any(newest[part] != row[part] for part in _VERSION_PARTS):
        yield f"the present value differs from version {newest['version']}"


def _find_rows_without_owner(
    table: str, key: Sequence[str], owners: str, parts: int, tx: TableContext, after_key: Key
) -> Step:
    """Find rows whose owner, named by the first parts of their key, does not exist."""
    rows = list(tx.get_table(table).scan(sources_of_truth.build_range_after_key(after_key), AT_ONCE))
    owner_keys = dict.fromkeys(tuple(row[name] for name in key[:parts]) for row in rows)
    existing_owners = {
        tuple(row[name] for name in key[:parts]) for row in tx.get_table(owners).read_many(list(owner_keys))
    }
    findings = [
        IntegrityIssue(owner[0], f"a row of {table} has no owner")
        for owner in owner_keys
        if owner not in existing_owners
    ]
    return findings, _get_key_of_last_row(rows, key)


def _find_run_issues(tx: TableContext, after_key: Key) -> Step:
    rows = sources_of_truth.list_run_rows_after(tx, after_key)
    programs = _find_existing_urns(tx, {row["program"] for row in rows})
    findings = []
    for row in rows:
        sound = (
            row["status"] in _STATUSES and row["start"] is not None and _parse_object_or_none(row["facts"]) is not None
        )
        if not sound:
            findings.append(IntegrityIssue(str(row["urn"]), "its row is not a valid run"))
        if row["program"] not in programs:
            findings.append(IntegrityIssue(str(row["urn"]), "its program does not exist"))
    return findings, _get_key_of_last_row(rows, ("program", "run_id"))


def _find_access_issues(tx: TableContext, after_key: Key) -> Step:
    rows = list(tx.get_table("accesses").scan(sources_of_truth.build_range_after_key(after_key), AT_ONCE))
    runs = {urn for urn in {row["run"] for row in rows} if sources_of_truth.find_run_row(tx, urn) is not None}
    data = _find_existing_urns(tx, {row["data"] for row in rows})
    findings = [
        IntegrityIssue(row["run"], "an access belongs to a run that does not exist")
        for row in rows
        if row["run"] not in runs
    ]
    findings += [
        IntegrityIssue(row["run"], "it has an access to an entity that does not exist")
        for row in rows
        if row["data"] not in data
    ]
    return findings, _get_key_of_last_row(rows, ("run", "data", "mode", "component"))


def _find_existing_urns(tx: TableContext, urns: set[str]) -> set[str]:
    """Return those of these URNs that are, or were, entities."""
    return {row["urn"] for row in tx.get_table("entities").read_many([(urn,) for urn in urns])}


def _parse_urn_or_none(text: str) -> Urn | None:
    try:
        return Urn.parse(text)
    except InvalidName:
        return None


def _parse_object_or_none(text: str | None) -> dict[str, Any] | None:
    """Parse a JSON object; None for anything else."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _get_key_of_last_row(rows: Sequence[Row], key: Sequence[str]) -> Key | None:
    return tuple(rows[-1][name] for name in key) if len(rows) == AT_ONCE else None
