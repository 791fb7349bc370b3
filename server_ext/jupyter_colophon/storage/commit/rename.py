"""Rename a dataset: everything recorded of it is moved to the new name (decision 22).

The old name keeps a row that refers to the new one, and a version number for each aspect, so that versions continue if
it is created again. Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator

from jupyter_colophon.core.cdap.names import make_v3_path
from jupyter_colophon.core.entities.containment import get_urn_prefix_of_children
from jupyter_colophon.core.errors import RenameConflict
from jupyter_colophon.core.identity.names import Urn, get_custom_key_pairs, make_custom_urn, make_field_urn
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.proposal import ProposalResult
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.renamed_entities import (
    EntityRename,
    log_deletions_and_new_values,
    move_entity_rows,
    move_openlineage_names_and_locations,
    rename_in_referencing_aspect,
    write_derived_rows,
)
from jupyter_colophon.storage.commit.renamed_runs import replace_dataset_in_runs, require_data_of_no_other_kernel
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_namespace_being_deleted
from jupyter_colophon.storage.entities.sources_of_truth import StoredEntity
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error, is_left_by_rename
from jupyter_colophon.storage.spi import Range

#: A rename is one transaction that blocks other writers, so more runs or references are refused.
RUNS_MOST = 2_000
REFERENCES_MOST = 1_000


def rename_dataset_with_contents(commit: CommitBuilder, old: Urn, new: Urn, run: str | None) -> ProposalResult:
    """Rename a dataset with its fields and all entities that it contains. Raises NotFound, RenameConflict."""
    row = commit.tx.get_table("entities").read((str(old),))
    if row is None or row["deleted"] or is_namespace_being_deleted(commit.tx, row["namespace"]):
        raise build_not_found_or_renamed_error(commit.tx, str(old))
    moves = [*_list_renames_of_children(commit, old, new), EntityRename(old, new)]
    _require_new_name_is_free(commit, new, moves)
    runs = [run_urn for _, run_urn in commit.tx.edges.list_runs_of_data(str(old), ALL_TIME, RUNS_MOST + 1, None)]
    if len(runs) > RUNS_MOST:
        raise RenameConflict(str(old), f"more than {RUNS_MOST:,} runs accessed it")
    require_data_of_no_other_kernel(commit, old, runs)
    references, names = _find_referencing_aspects(commit, old, moves, runs), (str(old), str(new))
    asserting = [
        entity
        for urn in {urn for urn, _ in references}
        if (entity := sources_of_truth.find_stored_entity(commit.tx, urn)) is not None
    ]
    for entity in asserting:
        assertions.delete_declared_lineage(commit.tx, entity.entity, entity.aspects, commit.now)
    moved = [move_entity_rows(commit, move, entity, names) for move, entity in _read_entities_to_rename(commit, moves)]
    replace_dataset_in_runs(
        commit, [run_urn for run_urn in runs if declared_lineage.parse_version_mark(run_urn) is None], *names
    )
    for before, after in moved:
        write_derived_rows(commit, after)
        log_deletions_and_new_values(commit, before, after, run)
    seq = commit.get_newest_change_number()
    for entity in asserting:
        assertions.rewrite_declared_lineage(commit.tx, entity.entity["urn"])
    for urn, aspect in references:
        rename_in_referencing_aspect(commit, Urn.parse(urn), aspect, run, names)
    move_openlineage_names_and_locations(commit, old, new)
    return ProposalResult(new, None, 0, seq)


def _list_renames_of_children(commit: CommitBuilder, old: Urn, new: Urn) -> Iterator[EntityRename]:
    """List the renames of what a dataset contains, deleted ones included, since their history moves as well."""
    prefix = get_urn_prefix_of_children(old) or ""
    # "-" is the character after ",", so this range has exactly the URNs with the prefix.
    fields = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
    for row in list(commit.tx.get_table("entities").scan(fields)):
        if not is_left_by_rename(commit.tx, row):
            urn = Urn.parse(row["urn"])
            yield EntityRename(urn, make_field_urn(new, urn.parts[1]))
    holdings = commit.tx.get_table("containment")
    name = make_v3_path(new, commit.identity).segments[3]
    for holding in [*holdings.scan(Range.prefix(str(old))), *holdings.scan(fields)]:
        row_of_child = commit.tx.get_table("entities").read((holding["urn"],))
        if row_of_child is not None and not is_left_by_rename(commit.tx, row_of_child):
            urn = Urn.parse(row_of_child["urn"])
            first, (word, _), *others = get_custom_key_pairs(urn)
            renamed = make_custom_urn(urn.parts[0], (first, (word, name), *others))
            yield EntityRename(urn, renamed, Urn.parse(holding["parent"].replace(str(old), str(new))))


def _require_new_name_is_free(commit: CommitBuilder, new: Urn, moves: list[EntityRename]) -> None:
    """Raise RenameConflict if an entity has the new name, or is contained in it."""
    prefix = get_urn_prefix_of_children(new) or ""
    fields = commit.tx.get_table("entities").scan(Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False))
    named = commit.tx.get_table("entities").read_many([(str(move.new),) for move in moves])
    if any(not row["deleted"] for row in (*named, *fields)):
        raise RenameConflict(str(new), "the name is in use")


def _read_entities_to_rename(
    commit: CommitBuilder, moves: list[EntityRename]
) -> list[tuple[EntityRename, StoredEntity]]:
    return [
        (move, entity)
        for move in moves
        if (entity := sources_of_truth.find_stored_entity(commit.tx, str(move.old))) is not None
    ]


def _find_referencing_aspects(
    commit: CommitBuilder, old: Urn, moves: list[EntityRename], runs: list[str]
) -> list[tuple[str, str]]:
    """Return the aspects of other entities that name the dataset or its content, as (URN, aspect). Raises
    RenameConflict.
    """
    prefix = get_urn_prefix_of_children(old) or ""
    table, ours = commit.tx.get_table(relationships.TABLE), {str(move.old) for move in moves}
    ranges = [Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False), *map(Range.prefix, sorted(ours))]
    references = {(row["urn"], row["aspect"]) for row in table.scan_ranges(ranges)}
    references |= {
        mark[:2] for reference in runs if (mark := declared_lineage.parse_version_mark(reference)) is not None
    }
    others = sorted(reference for reference in references if reference[0] not in ours)
    if len(others) > REFERENCES_MOST:
        raise RenameConflict(str(old), f"more than {REFERENCES_MOST:,} aspects refer to it")
    return others
