"""Keep the records of notebooks together with their files: new paths, and names of cells from headings."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.errors import MetadataError, RenameConflict, StorageError
from jupyter_colophon.core.identity.names import (
    Urn,
    make_cell_program_urn,
    make_notebook_program_urn,
    parse_notebook_program_urn,
)
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.notebook_headings import find_cell_headings
from jupyter_colophon.core.notebook_paths import move_path
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The most cells of a notebook that get names from headings.
CELLS_MOST = 1_000
#: Facts of a run that name its cell, and are more specific than a heading.
_NAMES = ("step", "comment")
_logger = logging.getLogger("jupyter_colophon.service")


@dataclass(frozen=True, slots=True)
class NotebookRecords:
    """Changes what is recorded of notebooks when their files change."""

    provider: StorageProvider
    namespace: str
    write_path: WritePath

    def list_notebook_paths(self, path: str) -> list[str]:
        """Return the paths of the recorded notebooks at a path, or below it if it is that of a folder."""
        return self.provider.tx_runner.run(
            lambda tx: runs.list_notebook_paths(tx, self.namespace, path), read_only=True
        )

    def rename_notebooks_below(
        self, old: str, new: str, principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> int:
        """Rename the recorded notebooks at a path, or below it if it is that of a folder; return their number.

        A notebook that cannot be renamed keeps its path, which is logged. Raises StorageError.
        """
        renamed = 0
        for path in self.list_notebook_paths(old):
            # A repeated request must not rename a notebook that has the old path since the first one.
            key = idempotency_key and replace(idempotency_key, key=_derive_key(idempotency_key.key, path))
            try:
                self.rename_notebook(path, move_path(path, old, new), principal, key)
            except StorageError:
                raise
            except MetadataError as error:
                _logger.warning("the history of the notebook %s was not moved: %s", path, error.detail)
            else:
                renamed += 1
        return renamed

    def rename_notebook(
        self, old: str, new: str, principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> None:
        """Rename a notebook and its cells, also if cells of an earlier notebook have the new names.

        A notebook with many runs is renamed in a transaction for each cell. Raises InvalidName, NotFound, AccessDenied,
        RenameConflict.
        """
        space = self.namespace
        before, after = make_notebook_program_urn(space, old), make_notebook_program_urn(space, new)
        try:
            self.write_path.rename_notebook(before, after, principal, idempotency_key, merge=True)
        except RenameConflict:
            programs = self.provider.tx_runner.run(
                lambda tx: runs.list_notebook_programs(tx, before, None), read_only=True
            )
            # The notebook's own program is the last, so that its cells are not renamed with it.
            for program in map(Urn.parse, reversed(programs)):
                _, cell = parse_notebook_program_urn(program) or ("", None)
                moved = make_cell_program_urn(space, new, cell) if cell else after
                self.write_path.rename_notebook(program, moved, principal, merge=True)

    def has_cells_without_name(self, path: str) -> bool:
        """Return whether the newest run of a cell of a notebook has neither a step nor a comment."""
        return bool(self._list_cells_without_name(make_notebook_program_urn(self.namespace, path)))

    def name_cells_by_headings(self, path: str, notebook: Mapping[str, Any], principal: Principal) -> None:
        """Name the cells that have neither a step nor a comment by the headings above them. Raises AccessDenied."""
        urn, headings = make_notebook_program_urn(self.namespace, path), find_cell_headings(notebook)
        names = {}
        for program, title in self._list_cells_without_name(urn).items():
            _, cell = parse_notebook_program_urn(Urn.parse(program)) or ("", None)
            if cell in headings and headings[cell] != title:
                names[program] = headings[cell]
        proposals = [
            Proposal(Urn.parse(program), "dataJobInfo", "patch", {"name": name, "type": {"string": "COMMAND"}})
            for program, name in names.items()
        ]
        if proposals:
            self.write_path.apply_proposals_atomically(proposals, principal)

    def _list_cells_without_name(self, notebook: Urn) -> dict[str, str | None]:
        """Return the present titles of cells whose newest run has neither a step nor a comment, by program."""

        def read_titles(tx: TableContext) -> dict[str, str | None]:
            facts = runs.list_newest_facts_of_cells(tx, notebook, CELLS_MOST)
            programs = [program for program, known in facts.items() if not any(known.get(name) for name in _NAMES)]
            titles = runs.read_program_titles(tx, programs)
            return {program: titles.get(program) for program in programs}

        return self.provider.tx_runner.run(read_titles, read_only=True)


def _derive_key(key: str, path: str) -> str:
    return sha256(f"{key}\0{path}".encode()).hexdigest()
