"""Roll back what an ingestion run wrote: each aspect returns to its previous value (spec WRITE-17).

History is not rewritten: the previous value is a new version. The versions of the run are marked, and later rollbacks
skip them. Only `service/write_path.py` may import this module.
"""

from collections.abc import Mapping, Sequence

from jupyter_colophon.core.documents.json_parsing import parse_stored
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.timeseries import log_deletion
from jupyter_colophon.storage.entities.ingestion import run_in
from jupyter_colophon.storage.entities.timeseries import KEY
from jupyter_colophon.storage.spi import Range, Row

#: Created with each entity, and not rolled back alone.
_STATUS = "status"


def roll_back(commit: Commit, run: str, aspects: Mapping[Urn, Sequence[str]], *, hard: bool) -> None:
    """Roll back these aspects if they still have the value of the run.

    An entity that the run created is marked as removed, or (`hard`) deleted with all its metadata.
    """
    commit.load_entities(aspects)
    for urn, names in aspects.items():
        key = commit.registry.get_type(urn.type).key_aspect
        is_created = key in names and _is_written_by(commit, urn, key, run)
        if is_created and hard and urn.type != "namespace":
            commit.remove_entity(urn)
            continue
        for name in names:
            if not (is_created and name in (key, _STATUS)):
                _roll_back_aspect(commit, run, urn, commit.registry.get_aspect(urn.type, name))
        if is_created:
            _mark_removed(commit, urn)


def _is_written_by(commit: Commit, urn: Urn, name: str, run: str) -> bool:
    row = commit.get_aspect_row(urn, name)
    return row is not None and row["value"] is not None and run_in(row["system"]) == run


def _mark_removed(commit: Commit, urn: Urn) -> None:
    value = commit.get_value(urn, _STATUS)
    spec = commit.registry.get_aspect(urn.type, _STATUS)
    commit.put(urn, spec, dict(value or {}) | {"removed": True})
    row = commit.get_aspect_row(urn, _STATUS)
    if row is not None:
        # Nothing belongs to the run any more: a second rollback changes nothing.
        commit.update_system_metadata(row, None)
    key = commit.get_aspect_row(urn, commit.registry.get_type(urn.type).key_aspect)
    if key is not None:
        commit.update_system_metadata(key, None)


def _roll_back_aspect(commit: Commit, run: str, urn: Urn, spec: AspectSpec) -> None:
    if spec.timeseries:
        _roll_back_timeseries(commit, run, urn, spec)
        return
    row = commit.get_aspect_row(urn, spec.name)
    if row is None or row["value"] is None or run_in(row["system"]) != run:
        return
    versions, survivor = _read_history(commit, run, urn, row)
    system = None if survivor is None else _remove_run(survivor, run)
    if survivor is None or survivor["value"] is None:
        commit.remove(urn, spec)
    elif survivor["value"] == row["value"]:
        # The run wrote the same value again: there is no new version, but the value no longer belongs to the run.
        commit.update_system_metadata(row, system)
        versions = [version for version in versions if version["version"] != row["version"]]
    else:
        commit.put(urn, spec, parse_stored(survivor["value"]), system=system)
    table = commit.tx.get_table("aspect_versions")
    for version in versions:
        table.update({name: version[name] for name in ("urn", "aspect", "version")} | {"rolled_back": True})


def _read_history(commit: Commit, run: str, urn: Urn, row: Row) -> tuple[list[Row], Row | None]:
    """Return the versions of the run, newest first, and the newest version that existed without it."""
    within = Range((str(urn), row["aspect"], row["base"] + 1), (str(urn), row["aspect"], row["version"]))
    versions: list[Row] = []
    for version in commit.tx.get_table("aspect_versions").scan(within, order="desc"):
        if version["rolled_back"]:
            continue
        if run_in(version["system"]) != run or _remove_run(version, run) is not None:
            return versions, version
        versions.append(version)
    return versions, None


def _remove_run(version: Row, run: str) -> SystemMetadata | None:
    """Return a version's system metadata without the run; None if only the run wrote it, or there are none."""
    system = codecs.read_system(version["system"])
    return system.get_previous() if system is not None and system.run == run else system


def _roll_back_timeseries(commit: Commit, run: str, urn: Urn, spec: AspectSpec) -> None:
    table = commit.tx.get_table("timeseries")
    rows = [row for row in table.scan(Range.prefix(str(urn), spec.name)) if run_in(row["system"]) == run]
    for row in rows:
        table.delete(tuple(row[name] for name in KEY))
    if rows:
        log_deletion(commit, urn, spec)
    commit.ingestion.record_timeseries(str(urn), spec.name, run, exists=False)
