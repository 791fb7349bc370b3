"""Move the variables of a cell to a new path of its notebook: the steps of lineage between cells keep their runs and columns.

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.errors import RenameConflict
from jupyter_colophon.core.identity.names import Urn, get_variable_prefix
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.renamed_entities import (
    EntityRename,
    log_deletions_and_new_values,
    move_entity_rows,
    write_derived_rows,
)
from jupyter_colophon.storage.commit.renamed_runs import replace_dataset_in_runs
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.spi import Range

#: The number of runs that may have accessed one variable.
_RUNS_MOST = 2_000


def rename_variables_of_cell(commit: CommitBuilder, old: Urn, new: Urn) -> None:
    """Rename the variables that a cell set, given the old and the new program of the cell; other programs have none.

    A variable that has the new name already gets the runs in addition to its own. Raises RenameConflict.
    """
    before, after = get_variable_prefix(old), get_variable_prefix(new)
    if not before or not after:
        return
    # "$" is the character after "#", so this range has exactly the URNs with the prefix.
    rows = commit.tx.get_table("entities").scan(Range((before,), (before[:-1] + "$",), end_inclusive=False))
    for urn in [row["urn"] for row in rows if not row["deleted"]]:
        _rename_variable(commit, Urn.parse(urn), Urn.parse(after + urn.removeprefix(before)))


def _rename_variable(commit: CommitBuilder, old: Urn, new: Urn) -> None:
    names, entity = (str(old), str(new)), sources_of_truth.find_stored_entity(commit.tx, str(old))
    runs = [run for _, run in commit.tx.edges.list_runs_of_data(names[0], ALL_TIME, _RUNS_MOST + 1, None)]
    if len(runs) > _RUNS_MOST:
        raise RenameConflict(names[0], f"more than {_RUNS_MOST:,} runs accessed it")
    if entity is not None:
        before, after = move_entity_rows(commit, EntityRename(old, new), entity, names)
        replace_dataset_in_runs(commit, runs, *names)
        write_derived_rows(commit, after)
        log_deletions_and_new_values(commit, before, after, None)
