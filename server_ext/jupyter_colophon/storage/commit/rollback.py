"""Roll back what an ingestion run wrote: each aspect returns to its previous value (spec WRITE-17).

History is not rewritten: the previous value is a new version. The versions of the run are marked, and later rollbacks
skip them. Only `service/write_path.py` may import this module.
"""

from collections.abc import Mapping, Sequence

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.timeseries import log_timeseries_deletion
from jupyter_colophon.storage.entities.ingestion import get_run_of_system_metadata
from jupyter_colophon.storage.entities.timeseries import KEY
from jupyter_colophon.storage.spi import Range, Row

#: Created with each entity, and not rolled back alone.
_STATUS = "status"


def roll_back_ingestion_run(
    commit: CommitBuilder, run: str, aspects: Mapping[Urn, Sequence[str]], *, hard: bool
) -> None:
    """Roll back these aspects if they still have the value of the run.

    An entity that the run created is marked as removed, or (`hard`) deleted with all its metadata.
    """
    commit.load_entities_at_once(aspects)
    for urn, names in aspects.items():
        key = commit.registry.get_type(urn.type).key_aspect
        is_created = key in names and _is_written_by_run(commit, urn, key, run)
        if is_created and hard and urn.type != "namespace":
            commit.delete_entity_and_children(urn)
            continue
        for name in names:
            if not (is_created and name in (key, _STATUS)):
                _restore_aspect_before_run(commit, run, urn, commit.registry.get_aspect(urn.type, name))
        if is_created:
            _mark_entity_removed(commit, urn)


def _is_written_by_run(commit: CommitBuilder, urn: Urn, name: str, run: str) -> bool:
    row = commit.get_aspect_row(urn, name)
    return row is not None and row["value"] is not None and get_run_of_system_metadata(row["system"]) == run


def _mark_entity_removed(commit: CommitBuilder, urn: Urn) -> None:
    value = commit.get_aspect_value(urn, _STATUS)
    spec = commit.registry.get_aspect(urn.type, _STATUS)
    commit.write_aspect(urn, spec, dict(value or {}) | {"removed": True})
    row = commit.get_aspect_row(urn, _STATUS)
    if row is not None:
        # Nothing belongs to the run any more: a second rollback changes nothing.
        commit.update_system_metadata_in_place(row, None)
    key = commit.get_aspect_row(urn, commit.registry.get_type(urn.type).key_aspect)
    if key is not None:
        commit.update_system_metadata_in_place(key, None)


def _restore_aspect_before_run(commit: CommitBuilder, run: str, urn: Urn, spec: AspectSpec) -> None:
    if spec.timeseries:
        _delete_timeseries_of_run(commit, run, urn, spec)
        return
    row = commit.get_aspect_row(urn, spec.name)
    if row is None or row["value"] is None or get_run_of_system_metadata(row["system"]) != run:
        return
    versions, survivor = _read_versions_of_run(commit, run, urn, row)
    system = None if survivor is None else _get_system_metadata_without_run(survivor, run)
    if survivor is None or survivor["value"] is None:
        commit.delete_aspect(urn, spec)
    elif survivor["value"] == row["value"]:
        # The run wrote the same value again: there is no new version, but the value no longer belongs to the run.
        commit.update_system_metadata_in_place(row, system)
        versions = [version for version in versions if version["version"] != row["version"]]
    else:
        commit.write_aspect(urn, spec, parse_stored_json(survivor["value"]), system=system)
    table = commit.tx.get_table("aspect_versions")
    for version in versions:
        table.update({name: version[name] for name in ("urn", "aspect", "version")} | {"rolled_back": True})


def _read_versions_of_run(commit: CommitBuilder, run: str, urn: Urn, row: Row) -> tuple[list[Row], Row | None]:
    """Return the versions of the run, newest first, and the newest version that existed without it."""
    within = Range((str(urn), row["aspect"], row["base"] + 1), (str(urn), row["aspect"], row["version"]))
    versions: list[Row] = []
    for version in commit.tx.get_table("aspect_versions").scan(within, order="desc"):
        if version["rolled_back"]:
            continue
        if (
            get_run_of_system_metadata(version["system"]) != run
            or _get_system_metadata_without_run(version, run) is not None
        ):
            return versions, version
        versions.append(version)
    return versions, None


def _get_system_metadata_without_run(version: Row, run: str) -> SystemMetadata | None:
    """Return a version's system metadata without the run; None if only the run wrote it, or there are none."""
    system = codecs.parse_system_metadata(version["system"])
    return system.get_metadata_before_last_run() if system is not None and system.run == run else system


def _delete_timeseries_of_run(commit: CommitBuilder, run: str, urn: Urn, spec: AspectSpec) -> None:
    table = commit.tx.get_table("timeseries")
    rows = [
        row for row in table.scan(Range.prefix(str(urn), spec.name)) if get_run_of_system_metadata(row["system"]) == run
    ]
    for row in rows:
        table.delete(tuple(row[name] for name in KEY))
    if rows:
        log_timeseries_deletion(commit, urn, spec)
    commit.ingestion.record_run_of_timeseries(str(urn), spec.name, run, exists=False)
