"""Find the former path of a notebook that another program than Jupyter moved, by the ids of its cells.

The words of a cell's program contain `ipynb#` and the beginning of the cell's id, so full text finds the cells with an id
in all notebooks (docs/decisions/0037-a-renamed-notebook-keeps-its-history.md).
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import (
    IdentityRules,
    Urn,
    make_notebook_program_urn,
    parse_notebook_program_urn,
)
from jupyter_colophon.core.model.search_index_terms import encode_filter_term, encode_index_word, split_search_tokens
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext, TextQuery

#: The most cells of a notebook that are looked up, and the most recorded cells that are compared.
_IDS_MAX: Final = 200
_MATCHES_MAX: Final = 2_000
#: Fewer cells than this in common are a coincidence, unless the notebook has no others.
_COMMON_MIN: Final = 2


@dataclass(frozen=True, slots=True)
class MovedNotebookFinder:
    """Finds notebooks with the cells of a notebook that is not recorded."""

    provider: StorageProvider
    identity: IdentityRules

    def is_recorded(self, path: str) -> bool:
        """Return whether anything is recorded of a notebook or its cells."""
        urn = make_notebook_program_urn(self.identity.notebook_namespace, path)
        return self.provider.tx_runner.run(lambda tx: bool(runs.list_notebook_programs(tx, urn, 1)), read_only=True)

    def count_same_cells(self, notebook: Mapping[str, Any], principal: Principal) -> dict[str, int]:
        """Return the paths under which most cells of a notebook are recorded, with the numbers of its cells there.

        Only notebooks that this user ran last are returned: in a shared store, others may have a file of that path.
        """
        ids = _list_code_cell_ids(notebook)[:_IDS_MAX]
        if not ids:
            return {}
        return self.provider.tx_runner.run(
            lambda tx: self._count_by_path(tx, frozenset(ids), principal), read_only=True
        )

    def _count_by_path(self, tx: TableContext, ids: AbstractSet[str], principal: Principal) -> dict[str, int]:
        common_by_path: defaultdict[str, set[str]] = defaultdict(set)
        for path, cell in self._find_recorded_cells(tx, ids):
            common_by_path[path].add(cell)
        return {
            path: len(common)
            for path, common in common_by_path.items()
            if self._has_same_cells(tx, path, common, principal)
        }

    def _find_recorded_cells(self, tx: TableContext, ids: AbstractSet[str]) -> Iterable[tuple[str, str]]:
        """Yield the path and the cell id of each recorded cell with one of these ids."""
        words = tuple({encode_index_word(split_search_tokens(f"ipynb#{id_}")[0]) for id_ in ids})
        terms = (
            encode_filter_term("type", "dataJob"),
            encode_filter_term("namespace", self.identity.notebook_namespace),
        )
        for match in tx.search.find_matches(TextQuery(exact=words, terms=terms), _MATCHES_MAX):
            path, cell = parse_notebook_program_urn(Urn.parse(match.urn)) or ("", None)
            if cell is not None and cell in ids:
                yield path, cell

    def _has_same_cells(self, tx: TableContext, path: str, common: AbstractSet[str], principal: Principal) -> bool:
        """Return whether these are most of the recorded cells of a notebook that this user ran last."""
        notebook = make_notebook_program_urn(self.identity.notebook_namespace, path)
        programs = [program for program in runs.list_notebook_programs(tx, notebook, None) if program != str(notebook)]
        is_enough = len(common) >= _COMMON_MIN or len(common) == len(programs)
        if not is_enough or 2 * len(common) <= len(programs):
            return False
        return runs.list_actors_of_newest_runs(tx, programs) == {principal.user}


def _list_code_cell_ids(notebook: Mapping[str, Any]) -> Sequence[str]:
    cells = notebook.get("cells")
    ids = (
        cell.get("id")
        for cell in (cells if isinstance(cells, list) else ())
        if isinstance(cell, Mapping) and cell.get("cell_type") == "code"
    )
    return list(dict.fromkeys(id_ for id_ in ids if isinstance(id_, str) and id_))
