"""Merge a dataset known only by its path into the catalog table that owns that path.

Only `service/write_path.py` may import this module.
"""

from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.core.lineage.run import Access
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.openlineage.described import ASPECT
from jupyter_colophon.core.openlineage.facets import merge_facets_and_times
from jupyter_colophon.storage.commit.columns import replace_dataset_in_reported_column_edges
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.runs import record_run_access
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.lineage.table_versions import read_table_versions
from jupyter_colophon.storage.spi import Range, Row

#: The most runs to move, newest first, since other writers wait for the transaction. Older runs stay with the path.
RUNS_MAX = 1_000


def move_reported_data_to_table(
    commit: CommitBuilder, location_urn: Urn, table: Urn, include_system_metadata: bool
) -> bool:
    """Move accesses, columns and lineage reported for a path to its table; return whether some are left at the path."""
    old, new = str(location_urn), str(table)
    runs = [run for _, run in commit.tx.edges.list_runs_of_data(old, ALL_TIME, RUNS_MAX, None)]
    marks = {
        run: mark
        for run in runs
        if (mark := declared_lineage.parse_version_mark(run)) is not None and mark[1] == ASPECT
    }
    for urn in sorted({urn for urn, *_ in marks.values()} - {old}):
        _replace_path_in_declared_lineage(commit, Urn.parse(urn), old, new)
    reported = [run for run in runs if _is_openlineage_run(commit, run)]
    for run in reported:
        _move_reported_accesses(commit, run, table, old, include_system_metadata)
    replace_dataset_in_reported_column_edges(commit, old, new, lambda run: _is_openlineage_run(commit, run))
    return len(runs) == RUNS_MAX or len(runs) > len(marks) + len(reported)


def _is_openlineage_run(commit: CommitBuilder, run: str) -> bool:
    return commit.tx.get_table("openlineage").read((run, "run"), ("part",)) is not None


def _replace_path_in_declared_lineage(commit: CommitBuilder, urn: Urn, old: str, new: str) -> None:
    """Replace the path by the table in lineage that events without a run declared for a job or another dataset."""
    value = commit.get_aspect_value(urn, ASPECT)
    if value is not None and "lineage" in value:
        new_value = {**value, "lineage": replace_equal_urns(value["lineage"], old, new)}
        commit.write_aspect(urn, commit.registry.get_aspect(urn.type, ASPECT), new_value)


def replace_equal_urns(value: Any, old: str, new: str) -> Any:
    """Return a value with one URN replaced by another."""
    if isinstance(value, dict):
        return {name: replace_equal_urns(item, old, new) for name, item in value.items()}
    if isinstance(value, list):
        items = [replace_equal_urns(item, old, new) for item in value]
        return sorted(set(items)) if all(isinstance(item, str) for item in items) else items
    return new if value == old else value


def _move_reported_accesses(
    commit: CommitBuilder, urn: str, table: Urn, old: str, include_system_metadata: bool
) -> None:
    accesses, of_statements = commit.tx.get_table("accesses"), statements.read_run_statements(commit.tx, urn)
    run = next(iter(commit.tx.get_table("runs").scan_index("urn", urn, 1)))
    for row in list(accesses.scan(Range.prefix(urn, old))):
        accesses.delete((urn, old, row["mode"], row["component"]))
        belongs = of_statements.get((old, row["mode"], row["component"]), [""])
        reported = [
            Access(table, row["mode"], row["component"], time=time, table_version=version)
            for time in (row["first"], row["last"])
            for version in read_table_versions(row) or ("",)
        ]
        for access in reported:
            for statement in belongs:
                record_run_access(commit, run, access, include_system_metadata, statement)
        commit.tx.get_table(statements.TABLE).delete_range(Range.prefix(urn, old, row["mode"], row["component"]))
    move_run_facets_to_dataset(commit, urn, old, str(table))
    commit.tx.edges.delete_run_links(urn)
    statements.add_lineage_links(commit.tx, statements.derive_links_of_run(commit.tx, run))


def move_run_facets_to_dataset(commit: CommitBuilder, run: str, old: str, new: str) -> None:
    """Move the facets of a dataset that belong to one run to another dataset."""
    table = commit.tx.get_table("openlineage")
    for mode in ("read", "write"):
        row = table.read((run, f"{mode} {old}"))
        if row is None:
            continue
        table.delete((run, row["part"]))
        moved, present = parse_stored_json(row["value"]), _read_facets(table.read((run, f"{mode} {new}")))
        facets, stamps = present["facets"], present["stamps"]
        for name, facet in moved["facets"].items():
            facets, stamps = merge_facets_and_times(facets, stamps, {name: facet}, moved["stamps"].get(name, 0))
        text = encode_canonical_json({"facets": facets, "stamps": stamps})
        table.upsert({"subject": run, "part": f"{mode} {new}", "value": text})


def _read_facets(row: Row | None) -> dict[str, Any]:
    facets: dict[str, Any] = {"facets": {}, "stamps": {}} if row is None else parse_stored_json(row["value"])
    return facets
