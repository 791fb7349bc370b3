"""What a batch of proposals locks, so that batches on other entities can be committed at the same time (decision 54)."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.containment import IMPLICIT_TYPES
from jupyter_colophon.core.identity.assertion_urn import ASSERTION
from jupyter_colophon.core.model.hierarchy import PARENT_MEMBERS
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.storage.entities.entity_state import EntityNotLocked
from jupyter_colophon.storage.spi import Locks

T = TypeVar("T")
#: The most proposals of a batch with locks.
_BATCH_MAX: Final = 32


def list_locks_of_batch(
    registry: Registry,
    proposals: Sequence[Proposal],
    specs: Sequence[AspectSpec | None],
    idempotency_key: IdempotencyKey | None,
) -> Locks:
    """Return the URNs of the entities, and the idempotency key; None if the batch must exclude all other writers.

    It must if it is more than aspects of entities: then it may change entities that it does not name.
    """
    pairs = zip(proposals, specs, strict=True)
    if len(proposals) > _BATCH_MAX or not all(_is_limited_to_entity(registry, *pair) for pair in pairs):
        return None
    names = {str(proposal.urn) for proposal in proposals}
    if idempotency_key is not None:
        names.add(f"{idempotency_key.user} {idempotency_key.key}")
    return frozenset(names)


def run_with_locks_or_alone(write: Callable[[Locks], T], locks: Locks) -> T:
    """Write with these locks; if another entity turns out to be needed, repeat it without locks."""
    try:
        return write(locks)
    except EntityNotLocked:
        return write(None)


def _is_limited_to_entity(registry: Registry, proposal: Proposal, spec: AspectSpec | None) -> bool:
    return (
        spec is not None
        and not spec.timeseries
        and not spec.managed_by
        and spec.name not in PARENT_MEMBERS
        and proposal.urn.type not in (*IMPLICIT_TYPES, ASSERTION)
        and not registry.get_type(proposal.urn.type).managed_by
    )
