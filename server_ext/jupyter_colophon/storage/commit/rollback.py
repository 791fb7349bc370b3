"""Taking back what a run of an ingestion wrote: each aspect goes back to what it was before (spec WRITE-17).

History is not rewritten: going back is a new version. The versions of the run are marked, and nothing goes back to them.
Only `service/write_path.py` may import this module.
"""

from collections.abc import Mapping, Sequence

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.timeseries import log_deletion
from jupyter_colophon.storage.entities.ingestion import run_in
from jupyter_colophon.storage.entities.timeseries import KEY
from jupyter_colophon.storage.spi import Range, Row

#: Made with each entity, and not taken back alone.
_STATUS = "status"


def roll_back(commit: Commit, run: str, aspects: Mapping[Urn, Sequence[str]], *, hard: bool) -> None:
    """Take back these aspects, so far as they still have what the run wrote.

    An entity that the run made is marked as removed, or (`hard`) deleted with all that anybody says of it.
    """
    commit.expect(aspects)
    for urn, names in aspects.items():
        key = commit.registry.type(urn.type).key_aspect
        made = key in names and _is_of(commit, urn, key, run)
        if made and hard and urn.type != "namespace":
            commit.remove_entity(urn)
            continue
        for name in names:
            if not (made and name in (key, _STATUS)):
                _take_back(commit, run, urn, commit.registry.aspect(urn.type, name))
        if made:
            _mark_removed(commit, urn)


def _is_of(commit: Commit, urn: Urn, name: str, run: str) -> bool:
    row = commit.aspect(urn, name)
    return row is not None and row["value"] is not None and run_in(row["system"]) == run


def _mark_removed(commit: Commit, urn: Urn) -> None:
    value = commit.current(urn, _STATUS)
    spec = commit.registry.aspect(urn.type, _STATUS)
    commit.put(urn, spec, dict(value or {}) | {"removed": True})
    row = commit.aspect(urn, _STATUS)
    if row is not None:
        # The run has nothing there any more: a second rollback changes nothing.
        commit.observe(row, None)
    key = commit.aspect(urn, commit.registry.type(urn.type).key_aspect)
    if key is not None:
        commit.observe(key, None)


def _take_back(commit: Commit, run: str, urn: Urn, spec: AspectSpec) -> None:
    if spec.timeseries:
        _take_back_moments(commit, run, urn, spec)
        return
    row = commit.aspect(urn, spec.name)
    if row is None or row["value"] is None or run_in(row["system"]) != run:
        return
    undone, survivor = _history(commit, run, urn, row)
    system = None if survivor is None else _kept(survivor, run)
    if survivor is None or survivor["value"] is None:
        commit.remove(urn, spec)
    elif survivor["value"] == row["value"]:
        # The run wrote the same value again: no new version, but the value is not the run's any more.
        commit.observe(row, system)
        undone = [version for version in undone if version["version"] != row["version"]]
    else:
        commit.put(urn, spec, stored(survivor["value"]), system=system)
    table = commit.tx.table("aspect_versions")
    for version in undone:
        table.update({name: version[name] for name in ("urn", "aspect", "version")} | {"rolled_back": True})


def _history(commit: Commit, run: str, urn: Urn, row: Row) -> tuple[list[Row], Row | None]:
    """The versions of the run, newest first, and the newest one that was there without it."""
    within = Range((str(urn), row["aspect"], row["base"] + 1), (str(urn), row["aspect"], row["version"]))
    undone: list[Row] = []
    for version in commit.tx.table("aspect_versions").scan(within, order="desc"):
        if version["rolled_back"]:
            continue
        if run_in(version["system"]) != run or _kept(version, run) is not None:
            return undone, version
        undone.append(version)
    return undone, None


def _kept(version: Row, run: str) -> SystemMetadata | None:
    """Return a version's system metadata without the run; None if only the run wrote it, or there are none."""
    system = codecs.system(version["system"])
    return system.taken_back() if system is not None and system.run == run else system


def _take_back_moments(commit: Commit, run: str, urn: Urn, spec: AspectSpec) -> None:
    table = commit.tx.table("timeseries")
    gone = [row for row in table.scan(Range.prefix(str(urn), spec.name)) if run_in(row["system"]) == run]
    for row in gone:
        table.delete(tuple(row[name] for name in KEY))
    if gone:
        log_deletion(commit, urn, spec)
    commit.ingesting.follow_moments(str(urn), spec.name, run, exists=False)
