"""Putting entities where the namespace rules say now, in short steps beside running servers (spec ID-14)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities.renamespace import find_misplaced, move
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many entities are looked at in one transaction, and how many are moved in one.
_LOOKED_AT, _MOVED_AT_ONCE = 1_000, 50
_PRINCIPAL = Principal("colophon")


@dataclass(frozen=True, slots=True)
class Mover:
    """Applies changed rules to a store. Namespaces that the rules name are made where they are missing."""

    provider: StorageProvider
    registry: Registry
    write_path: WritePath
    progress: Progress

    def apply(self) -> int:
        """Move what belongs elsewhere; returns how many entities. Raises NamespaceDeleting, StorageError."""
        moved, place = 0, ""
        while True:
            look = partial(find_misplaced, identity=self.write_path.identity, after=place, limit=_LOOKED_AT)
            found, more = self.provider.tx_runner.run(look, read_only=True)
            moved += self._move_all(found)
            self.progress("namespaces", moved)
            if more is None:
                return moved
            place = more

    def _move_all(self, places: Mapping[str, str]) -> int:
        made = [
            Proposal(names.namespace(name), "status", "upsert", {"removed": False})
            for name in sorted({*places.values()})
        ]
        if made:
            self.write_path.propose(made, _PRINCIPAL)
        moves, done = list(places.items()), 0
        for at in range(0, len(moves), _MOVED_AT_ONCE):
            done += self.provider.tx_runner.run(partial(self._move, moves[at : at + _MOVED_AT_ONCE]))
        return done

    def _move(self, moves: list[tuple[str, str]], tx: TableContext) -> int:
        return sum(move(tx, self.registry, urn, namespace) for urn, namespace in moves)
