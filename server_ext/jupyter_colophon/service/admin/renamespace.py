"""Move entities to the namespaces that changed rules assign, in short steps while servers run (spec ID-14)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from jupyter_colophon.core.access import INTERNAL
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities.renamespace import find_entities_of_wrong_namespace, move_entity_to_namespace
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: How many entities are examined, and how many are moved, per transaction.
_EXAMINE_BATCH, _MOVE_BATCH = 1_000, 50
_PRINCIPAL = INTERNAL


@dataclass(frozen=True, slots=True)
class NamespaceMover:
    """Applies changed namespace rules to a store; missing namespaces are created."""

    provider: StorageProvider
    registry: Registry
    write_path: WritePath
    progress: Progress

    def move_misplaced_entities(self) -> int:
        """Move misplaced entities; return their number. Raises NamespaceDeleting, StorageError."""
        moved, after = 0, ""
        while True:
            find = partial(
                find_entities_of_wrong_namespace, identity=self.write_path.identity, after=after, limit=_EXAMINE_BATCH
            )
            misplaced_urns, next_urn = self.provider.tx_runner.run(find, read_only=True)
            moved += self._create_namespaces_and_move(misplaced_urns)
            self.progress("namespaces", moved)
            if next_urn is None:
                return moved
            after = next_urn

    def _create_namespaces_and_move(self, namespace_by_urn: Mapping[str, str]) -> int:
        proposals = [
            Proposal(names.make_namespace_urn(name), "status", "upsert", {"removed": False})
            for name in sorted({*namespace_by_urn.values()})
        ]
        if proposals:
            self.write_path.apply_proposals_atomically(proposals, _PRINCIPAL)
        moves, done = list(namespace_by_urn.items()), 0
        for at in range(0, len(moves), _MOVE_BATCH):
            done += self.provider.tx_runner.run(
                partial(self._move_entities_in_transaction, moves[at : at + _MOVE_BATCH])
            )
        return done

    def _move_entities_in_transaction(self, moves: list[tuple[str, str]], tx: TableContext) -> int:
        return sum(move_entity_to_namespace(tx, self.registry, urn, namespace) for urn, namespace in moves)
