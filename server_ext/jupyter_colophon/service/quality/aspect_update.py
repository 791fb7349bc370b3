"""Replace an aspect of a dataset by what follows from its stored value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.errors import ConditionFailed
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import ABSENT, Needs, Proposal, WriteCondition
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import TableContext

#: How often an update is tried when others write the same aspect at the same time.
_ATTEMPTS: Final = 20
#: Returns the new value, given the stored one; None if it does not exist.
ComputeValue = Callable[[TableContext, Mapping[str, Any] | None], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class AspectUpdate:
    """An update of an aspect. What must exist already is in `needs`."""

    urn: Urn
    aspect: str
    compute: ComputeValue
    needs: Needs

    def apply(self, write_path: WritePath, principal: Principal, key: IdempotencyKey | None = None) -> None:
        """Read and write the aspect, again if others write it at the same time. Raises the errors of the write path."""
        attempts = 0
        while True:
            attempts += 1
            version, value = write_path.provider.tx_runner.run(partial(self._compute_value, write_path), read_only=True)
            condition = WriteCondition(version=version)
            proposal = Proposal(self.urn, self.aspect, "upsert", value, condition, run=None, needs=self.needs)
            try:
                write_path.apply_proposals_atomically([proposal], principal, idempotency_key=key)
            except ConditionFailed:
                if attempts == _ATTEMPTS:
                    raise
            else:
                return

    def _compute_value(self, write_path: WritePath, tx: TableContext) -> tuple[int, Mapping[str, Any]]:
        """Return the version of the stored aspect, and its new value."""
        stored = aspects.find_aspect(tx, write_path.registry, self.urn.type, str(self.urn), self.aspect)
        value = self.compute(tx, None if stored is None else stored.value)
        return ABSENT if stored is None else stored.version, value
