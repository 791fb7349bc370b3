"""A dataset gets another name: all that is recorded of it is recorded of the new name (decision 22).

The old name keeps a row that names the new one, and a number for each aspect, so that versions go on where somebody
creates it again. Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.cdap.names import v3_path
from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.entities.containment import held_prefix
from jupyter_colophon.core.errors import InvalidName, RenameConflict
from jupyter_colophon.core.identity.names import Urn, custom, field, pairs_of
from jupyter_colophon.core.identity.urn import PREFIX, canonical
from jupyter_colophon.core.lineage.graph import EVER
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.key_aspect import key_aspect
from jupyter_colophon.core.model.proposal import ABSENT, Written
from jupyter_colophon.core.openlineage import described
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.renamed_runs import move_runs, require_own
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_ending
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.lineage.renames import absent_entity, is_left_behind, note_rename
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Range, Row

#: A rename is one transaction, for which others wait: of more runs or references it is refused.
RUNS_MOST = 2_000
REFERENCES_MOST = 1_000


@dataclass(frozen=True, slots=True)
class _Move:
    """An entity that is renamed, and its new name."""

    old: Urn
    new: Urn


def rename_entity(commit: Commit, old: Urn, new: Urn, run: str | None) -> Written:
    """Rename a dataset, with its fields and whatever else it holds. Raises NotFound, RenameConflict."""
    row = commit.tx.table("entities").read((str(old),))
    if row is None or row["deleted"] or is_ending(commit.tx, row["namespace"]):
        raise absent_entity(commit.tx, str(old))
    moves = [*_held_moves(commit, old, new), _Move(old, new)]
    _require_free(commit, new, moves)
    runs = [one for _, one in commit.tx.edges.runs_of(str(old), EVER, RUNS_MOST + 1, None)]
    if len(runs) > RUNS_MOST:
        raise RenameConflict(str(old), f"more than {RUNS_MOST:,} runs touched it")
    require_own(commit, old, runs)
    references, names = _references(commit, old, moves, runs), (str(old), str(new))
    asserting = [
        known
        for urn in {urn for urn, _ in references}
        if (known := sources_of_truth.entity(commit.tx, urn)) is not None
    ]
    for known in asserting:
        assertions.forget_all(commit.tx, known.entity, known.aspects, commit.now)
    moved = [_move_entity(commit, move, known, names) for move, known in _known(commit, moves)]
    move_runs(commit, [one for one in runs if declared_lineage.parse_version_mark(one) is None], *names)
    for before, after in moved:
        _derive(commit, after)
        _log(commit, before, after, run)
    seq = commit.head()
    for known in asserting:
        assertions.repair(commit.tx, known.entity["urn"])
    for urn, aspect in references:
        _rewrite_reference(commit, Urn.parse(urn), aspect, run, names)
    _move_names(commit, old, new)
    return Written(new, None, 0, seq)


def swap(value: Any, old: str, new: str) -> Any:
    """Return a value with one URN in the place of another, also inside the URNs of fields."""
    if isinstance(value, dict):
        return {swap(name, old, new): swap(member, old, new) for name, member in value.items()}
    if isinstance(value, list):
        return [swap(item, old, new) for item in value]
    if not isinstance(value, str) or not value.startswith(PREFIX):
        return value
    if old in value:
        return value.replace(old, new)
    try:
        text = canonical(value)
    except InvalidName:
        return value
    return text.replace(old, new) if old in text else value


def _held_moves(commit: Commit, old: Urn, new: Urn) -> Iterator[_Move]:
    """Yield what the dataset holds, also what was deleted: its history goes along."""
    prefix = held_prefix(old) or ""
    # "-" is the character after ",", so this takes every URN that begins so and no other.
    fields = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
    for row in list(commit.tx.table("entities").scan(fields)):
        if not is_left_behind(commit.tx, row):
            urn = Urn.parse(row["urn"])
            yield _Move(urn, field(new, urn.parts[1]))
    holdings = commit.tx.table("containment")
    name = v3_path(new, commit.identity).segments[3]
    for holding in [*holdings.scan(Range.prefix(str(old))), *holdings.scan(fields)]:
        held = commit.tx.table("entities").read((holding["urn"],))
        if held is not None and not is_left_behind(commit.tx, held):
            urn = Urn.parse(held["urn"])
            first, (word, _), *others = pairs_of(urn)
            move = _Move(urn, custom(urn.parts[0], (first, (word, name), *others)))
            holder = holding["parent"].replace(str(old), str(new))
            holdings.upsert({"parent": holder, "urn": str(move.new)})
            yield move


def _require_free(commit: Commit, new: Urn, moves: list[_Move]) -> None:
    """Raise RenameConflict where something has the new name, or is held by it."""
    prefix = held_prefix(new) or ""
    fields = commit.tx.table("entities").scan(Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False))
    named = commit.tx.table("entities").multi_read([(str(move.new),) for move in moves])
    if any(not row["deleted"] for row in (*named, *fields)):
        raise RenameConflict(str(new), "the name is in use")


def _known(commit: Commit, moves: list[_Move]) -> list[tuple[_Move, StoredEntity]]:
    return [(move, known) for move in moves if (known := sources_of_truth.entity(commit.tx, str(move.old))) is not None]


def _move_entity(
    commit: Commit, move: _Move, known: StoredEntity, names: tuple[str, str]
) -> tuple[StoredEntity, StoredEntity]:
    """Move an entity's row, versions and values by time; return what it was, and what it is under the new name."""
    left = {name: _left_behind(commit, row) for name, row in known.aspects.items()}
    _drop_derived(commit, known, left)
    there = _renamed_row(commit, known.entity, move.new)
    moved = {name: _move_versions(commit, move, row, names) for name, row in known.aspects.items()}
    _leave_behind(commit, known.entity, left)
    commit.tx.table("entities").upsert(there)
    commit.tx.table("aspects").upsert_all([*moved.values()])
    _move_moments(commit, str(move.old), str(move.new), names)
    return known, StoredEntity(there, moved)


def _renamed_row(commit: Commit, row: Row, new: Urn) -> Row:
    return row | {
        "urn": str(new),
        "namespace": commit.identity.namespace_of(new),
        "name": commit.identity.short_name(new),
        "platform": commit.identity.platform_of(new),
        "updated": commit.now,
        "updated_by": commit.principal.user,
        "spelling": None,
    }


def _move_versions(commit: Commit, move: _Move, row: Row, names: tuple[str, str]) -> Row:
    """Give the versions of an aspect to the new name, behind those that it had before; return the aspect's row there."""
    table, urn, aspect = commit.tx.table("aspect_versions"), str(move.new), row["aspect"]
    there = commit.tx.table("aspects").read((urn, aspect)) or {"version": 0, "floor": None}
    behind, floor = there["version"], row["floor"]
    within = Range.prefix(str(move.old), aspect)
    rows = [
        version
        | {
            "urn": urn,
            "version": version["version"] + behind,
            "value": _renamed_value(commit, move, aspect, version["value"], names),
        }
        for version in table.scan(within)
    ]
    table.delete_all(within)
    table.upsert_all(rows)
    return row | {
        "urn": urn,
        "version": row["version"] + behind,
        "base": (row["base"] or 0) + behind,
        "floor": floor + behind if floor else there["floor"],
        "value": _renamed_value(commit, move, aspect, row["value"], names),
    }


def _renamed_value(commit: Commit, move: _Move, aspect: str, value: str | None, names: tuple[str, str]) -> str | None:
    """Return what an aspect says, as an aspect of the new name."""
    if value is None:
        return None
    kind = commit.registry.stored_type(move.new.type)
    if aspect == kind.key_aspect:
        return compact(key_aspect(move.new, kind))
    return _swap_text(value, names)


def _left_behind(commit: Commit, row: Row) -> Row:
    """Return what stays of an aspect under the old name: the number of its last version, which has no value."""
    return row | {
        "version": row["version"] + 1,
        "base": row["version"] + 1,
        "value": None,
        "actor": commit.principal.user,
        "via": commit.principal.via,
        "time": commit.now,
        "system": None,
        "floor": row["version"],
        "implied": False,
    }


def _leave_behind(commit: Commit, row: Row, left: dict[str, Row]) -> None:
    commit.tx.table("aspects").upsert_all([*left.values()])
    versions = [{name: one[name] for name in _OF_VERSION} for one in left.values()]
    commit.tx.table("aspect_versions").upsert_all(versions)
    gone = {"deleted": True, "removed": None, "updated": commit.now, "updated_by": commit.principal.user}
    commit.tx.table("entities").upsert(row | gone)


def _drop_derived(commit: Commit, known: StoredEntity, left: dict[str, Row]) -> None:
    """Remove the old name from search, relationships and lineage, while its history is still there."""
    tx, row = commit.tx, known.entity
    tx.table(past_values.TABLE).multi_delete([*past_values.of_history(tx, commit.registry, row, known.aspects)])
    relationships.follow(tx, commit.registry, row["urn"], row["type"], known.aspects, left)
    assertions.forget_all(tx, row, known.aspects, commit.now)
    if not row["deleted"]:
        values = index.searchable_aspects(commit.registry.stored_type(row["type"]), known.aspects)
        index.update_search_rows(tx, [index.EntityChange(row | {"deleted": True}, values, {})])
        tx.table("entity_names").delete(tuple(sources_of_truth.name_row(row)[part] for part in _NAME_KEY))


def _derive(commit: Commit, known: StoredEntity) -> None:
    """Add the new name to search, relationships and lineage."""
    tx, row = commit.tx, known.entity
    tx.table(past_values.TABLE).upsert_all([*past_values.of_history(tx, commit.registry, row, known.aspects).values()])
    tx.table(relationships.TABLE).upsert_all([*relationships.of_entity(commit.registry, row, known.aspects).values()])
    assertions.repair(tx, row["urn"])
    if not row["deleted"]:
        values = index.searchable_aspects(commit.registry.stored_type(row["type"]), known.aspects)
        words = sources_of_truth.search_words(commit.registry, row, known.aspects)
        index.update_search_rows(tx, [index.EntityChange(row, {}, values, words)])
        tx.table("entity_names").upsert(sources_of_truth.name_row(row))


def _move_moments(commit: Commit, old: str, new: str, names: tuple[str, str]) -> None:
    """Move the values by time, and which runs of ingestions wrote what."""
    table, ingested = commit.tx.table("timeseries"), commit.tx.table("ingested")
    rows = [row | {"urn": new, "value": _swap_text(row["value"], names)} for row in table.scan(Range.prefix(old))]
    table.delete_all(Range.prefix(old))
    table.upsert_all(rows)
    written = list(ingested.scan_index("urn", old))
    ingested.multi_delete([(row["run"], old, row["aspect"]) for row in written])
    ingested.upsert_all([row | {"urn": new} for row in written])


def _swap_text(text: str, names: tuple[str, str]) -> str:
    """Return a stored value with the new name in the place of the old one; unchanged where it names neither."""
    if PREFIX not in text:
        return text
    before = stored(text)
    after = swap(before, *names)
    return text if after == before else compact(after)


def _log(commit: Commit, old: StoredEntity, new: StoredEntity, run: str | None) -> None:
    """Record that all is gone from the old name, and that the new name has it."""
    before, after = old.entity, new.entity
    for name, row in sorted(new.aspects.items()):
        if row["value"] is not None:
            scope, gone = commit.registry.stored_aspect(after["type"], name).scope, old.aspects[name]
            commit.log(before, name, "delete", ABSENT, scope, run, gone["value"], None, gone["system"])
            commit.log(after, name, "rename", row["version"], scope, run, None, row["value"], None, row["system"])
    if not before["deleted"]:
        where, whence = compact({"renamedTo": after["urn"]}), compact({"renamedFrom": before["urn"]})
        commit.log(before, None, "delete", ABSENT, "USER", run, None, where)
        commit.log(after, None, "rename", 0, "USER", run, None, whence)
    note_rename(commit.tx, before["urn"], after["urn"], commit.head(), commit.now)


def _references(commit: Commit, old: Urn, moves: list[_Move], runs: list[str]) -> list[tuple[str, str]]:
    """Return the aspects of others that name the dataset or what it holds: their URN and the aspect. Raises RenameConflict."""
    prefix = held_prefix(old) or ""
    table, ours = commit.tx.table(relationships.TABLE), {str(move.old) for move in moves}
    ranges = [Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False), *map(Range.prefix, sorted(ours))]
    found = {(row["urn"], row["aspect"]) for row in table.multi_scan(ranges)}
    found |= {mark[:2] for one in runs if (mark := declared_lineage.parse_version_mark(one)) is not None}
    others = sorted(one for one in found if one[0] not in ours)
    if len(others) > REFERENCES_MOST:
        raise RenameConflict(str(old), f"more than {REFERENCES_MOST:,} aspects name it")
    return others


def _rewrite_reference(commit: Commit, urn: Urn, aspect: str, run: str | None, names: tuple[str, str]) -> None:
    """Write a new version of what another entity says, with the new name."""
    row = commit.aspect(urn, aspect)
    if row is None or row["value"] is None:
        return
    spec = commit.registry.stored_aspect(urn.type, aspect)
    before = stored(row["value"])
    value = swap(before, *names)
    if value == before:
        return
    commit.put(urn, spec, value, run, codecs.system(row["system"]), implied=bool(row.get("implied")))


def _move_names(commit: Commit, old: Urn, new: Urn) -> None:
    """Have the dataset found by what OpenLineage's events called it, and at the places of its files."""
    table = commit.tx.table("openlineage_names")
    names = commit.current(new, described.ASPECT) or {"names": ()}
    keys = [(old.type, one["namespace"], one["name"]) for one in names["names"]]
    named = [*table.multi_read(keys), *table.scan(Range.prefix("symlink"))]
    table.upsert_all([row | {"urn": str(new)} for row in named if row["urn"] == str(old)])
    parts = commit.tx.table("openlineage")
    rows = list(parts.scan(Range.prefix(str(old))))
    parts.delete_all(Range.prefix(str(old)))
    parts.upsert_all(
        [row | {"subject": str(new), "value": _swap_text(row["value"], (str(old), str(new)))} for row in rows]
    )


_NAME_KEY = ("namespace", "type", "name", "urn")
_OF_VERSION = ("urn", "aspect", "version", "value", "actor", "via", "time", "system")
