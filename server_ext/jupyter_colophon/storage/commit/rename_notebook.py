"""Rename a notebook: the programs of the notebook and of its cells get new names, with all that is recorded of them.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Iterator

from jupyter_colophon.core.errors import RenameConflict
from jupyter_colophon.core.identity.names import (
    Urn,
    get_cell_prefix,
    get_custom_key_pairs,
    make_custom_urn,
    parse_notebook_program_urn,
    parse_program_urn,
)
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
from jupyter_colophon.storage.commit.renamed_programs import move_runs_to_program
from jupyter_colophon.storage.commit.renamed_variables import rename_variables_of_cell
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_namespace_being_deleted
from jupyter_colophon.storage.lineage import relationships
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error, is_left_by_rename
from jupyter_colophon.storage.spi import Range, Row

#: A rename is one transaction that blocks other writers, so more runs or references are refused.
RUNS_MOST = 2_000
REFERENCES_MOST = 1_000


def rename_notebook_with_cells(commit: CommitBuilder, old: Urn, new: Urn, *, merge: bool) -> ProposalResult:
    """Rename the program of a notebook and those of its cells, or the program of one cell, with the variables of the cells.

    With `merge`, programs that have the new names already get the runs and metadata in addition to their own.
    Otherwise raises RenameConflict for them. Raises NotFound if nothing is recorded of the notebook.
    """
    programs = list(_list_renames_of_programs(commit, old, new))
    if not programs or is_namespace_being_deleted(commit.tx, commit.identity.get_namespace(old)):
        raise build_not_found_or_renamed_error(commit.tx, str(old))
    if not merge:
        _require_new_names_are_free(commit, new, programs)
    runs = {program.old: _read_run_rows(commit, program.old) for program in programs}
    if len(programs) > 1 and sum(map(len, runs.values())) > RUNS_MOST:
        raise RenameConflict(str(old), f"it has more than {RUNS_MOST:,} runs")
    for program in programs:
        _rename_program(commit, program, runs[program.old])
    for program in programs:
        rename_variables_of_cell(commit, program.old, program.new)
    seq = commit.get_newest_change_number()
    for program in programs:
        _rename_references(commit, program)
    return ProposalResult(new, None, 0, seq)


def _list_renames_of_programs(commit: CommitBuilder, old: Urn, new: Urn) -> Iterator[EntityRename]:
    """List the programs of a notebook and its cells, deleted ones included, since their history moves as well."""
    entities, rows = commit.tx.get_table("entities"), []
    if (parse_notebook_program_urn(old) or ("", ""))[1] is None:
        prefix = get_cell_prefix(old)
        # "$" is the character after "#", so this range has exactly the URNs with the prefix.
        rows = list(entities.scan(Range((prefix,), (prefix[:-1] + "$",), end_inclusive=False)))
    for row in [*rows, *entities.read_many([(str(old),)])]:
        if not is_left_by_rename(commit.tx, row):
            urn = Urn.parse(row["urn"])
            yield EntityRename(urn, new if urn == old else make_renamed_cell_urn(urn, new))


def make_renamed_cell_urn(cell: Urn, notebook: Urn) -> Urn:
    """Return the URN that the program of a cell has in another notebook."""
    _, cell_id = parse_notebook_program_urn(cell) or ("", None)
    return Urn.parse(f"{get_cell_prefix(notebook)}{cell_id})")


def _require_new_names_are_free(commit: CommitBuilder, new: Urn, programs: list[EntityRename]) -> None:
    rows = commit.tx.get_table("entities").read_many([(str(program.new),) for program in programs])
    if any(not row["deleted"] for row in rows):
        raise RenameConflict(str(new), "the name is in use")


def _read_run_rows(commit: CommitBuilder, program: Urn) -> list[Row]:
    return list(commit.tx.get_table("runs").scan(Range.prefix(str(program))))


def _rename_program(commit: CommitBuilder, program: EntityRename, runs: list[Row]) -> None:
    """Rename a program, and the custom entities that it contains."""
    names = (str(program.old), str(program.new))
    for move in [*_list_renames_of_children(commit, program), program]:
        entity = sources_of_truth.find_stored_entity(commit.tx, str(move.old))
        # A deleted program leaves the one that has its new name as it is.
        if entity is not None and not (entity.entity["deleted"] and _exists(commit, move.new)):
            before, after = move_entity_rows(commit, move, entity, names)
            write_derived_rows(commit, after)
            log_deletions_and_new_values(commit, before, after, None)
    move_runs_to_program(commit, runs, *names)
    move_openlineage_names_and_locations(commit, program.old, program.new)


def _exists(commit: CommitBuilder, urn: Urn) -> bool:
    row = commit.tx.get_table("entities").read((str(urn),))
    return row is not None and not row["deleted"]


def _list_renames_of_children(commit: CommitBuilder, program: EntityRename) -> Iterator[EntityRename]:
    """List the renames of the custom entities that a program contains: a key of theirs names the program."""
    holdings, entities = commit.tx.get_table("containment"), commit.tx.get_table("entities")
    before, after = parse_program_urn(program.old), parse_program_urn(program.new)
    if before is None or after is None:
        return
    for holding in holdings.scan(Range.prefix(str(program.old))):
        row = entities.read((holding["urn"],))
        if row is not None and not is_left_by_rename(commit.tx, row):
            urn = Urn.parse(row["urn"])
            pairs = (after[2:] if pair == before[2:] else pair for pair in get_custom_key_pairs(urn))
            yield EntityRename(urn, make_custom_urn(urn.parts[0], pairs), program.new)


def _rename_references(commit: CommitBuilder, program: EntityRename) -> None:
    """Write a new version, with the new name, of each aspect that names the program. Raises RenameConflict."""
    table, names = commit.tx.get_table(relationships.TABLE), (str(program.old), str(program.new))
    rows = list(table.scan(Range.prefix(names[0]), REFERENCES_MOST + 1))
    if len(rows) > REFERENCES_MOST:
        raise RenameConflict(names[0], f"more than {REFERENCES_MOST:,} aspects refer to it")
    for urn, aspect in sorted({(row["urn"], row["aspect"]) for row in rows}):
        rename_in_referencing_aspect(commit, Urn.parse(urn), aspect, None, names)
