"""What a write locks, so that writes on other entities can be committed at the same time (decision 54)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.lock_names import get_lock_name, make_lock_name_of_openlineage_name
from jupyter_colophon.core.identity.assertion_urn import ASSERTION
from jupyter_colophon.core.identity.names import DATA_TYPES, Urn, make_hashed_run_urn, make_run_urn
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn
from jupyter_colophon.core.lineage.run import Access, RunStart, RunUpsert
from jupyter_colophon.core.model.hierarchy import PARENT_MEMBERS
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.openlineage.event import Event
from jupyter_colophon.storage.entities.entity_state import NotLocked
from jupyter_colophon.storage.spi import Locks

T = TypeVar("T")
#: The most proposals of a batch with locks.
_BATCH_MAX: Final = 32
#: Types of which an entity can be deleted with its lock: all that it contains has the same lock, or needs another one.
_DELETABLE: Final = frozenset({*DATA_TYPES, "dataJob"})


def list_batch_locks(
    registry: Registry,
    proposals: Sequence[Proposal],
    specs: Sequence[AspectSpec | None],
    idempotency_key: IdempotencyKey | None,
) -> Locks | None:
    """Return the locks of the entities and of the idempotency key; None if the batch must exclude all other writers.

    It must if it may change entities that it does not name.
    """
    pairs = zip(proposals, specs, strict=True)
    if len(proposals) > _BATCH_MAX or not all(_is_limited_to_entity(registry, *pair) for pair in pairs):
        return None
    names = {get_lock_name(proposal.urn) for proposal in proposals}
    return Locks(frozenset(names | _list_lock_of_key(idempotency_key)))


def list_run_locks(
    program: Urn, run: str, accesses: Iterable[Access] = (), idempotency_key: IdempotencyKey | None = None
) -> Locks:
    """Return the locks of a run: its program, which carries its lineage, and the data that it writes. What it reads is
    locked as shared, also its flow.
    """
    written = {get_lock_name(access.data) for access in accesses if access.mode != "read"}
    read = {get_lock_name(access.data) for access in accesses} | {program.parts[0]}
    exclusive = {str(program), run, *written, *_list_lock_of_key(idempotency_key)}
    return Locks(frozenset(exclusive), frozenset(read - exclusive))


def list_report_locks(report: RunUpsert, idempotency_key: IdempotencyKey | None) -> Locks:
    """Return the locks of a report about a run, as `list_run_locks` does."""
    run = str(make_run_urn(report.program, report.run_id))
    return list_run_locks(report.program, run, report.accesses, idempotency_key)


def list_start_locks(start: RunStart, idempotency_key: IdempotencyKey | None) -> Locks:
    """Return the locks of the start of a run, as `list_run_locks` does."""
    run = str(make_run_urn(start.program, start.run_id))
    return list_run_locks(start.program, run, idempotency_key=idempotency_key)


def list_event_locks(event: Event) -> Locks:
    """Return the locks of an event of OpenLineage: its datasets, its job and run, and the names that it uses for them."""
    exclusive = {get_lock_name(dataset.urn) for dataset in event.data}
    exclusive |= {make_lock_name_of_openlineage_name(dataset.urn.type, dataset.original_name) for dataset in event.data}
    if event.job is None:
        return Locks(frozenset(exclusive))
    program = event.make_program_urn(event.engine)
    exclusive |= {str(program), make_lock_name_of_openlineage_name(program.type, event.job)}
    if event.run:
        # Jobs that share the id of a run have separate ones.
        job = make_openlineage_job_urn(event.job.namespace, event.job.name)
        exclusive |= {str(make_run_urn(job, event.run)), str(make_hashed_run_urn(job, event.run))}
    return Locks(frozenset(exclusive), frozenset({program.parts[0]}))


def run_with_locks_or_alone(write: Callable[[Locks | None], T], locks: Locks | None) -> T:
    """Write with these locks; if more is needed, repeat it with exclusive locks only, and then without locks."""
    try:
        return write(locks)
    except NotLocked:
        more = locks.make_exclusive() if locks is not None and locks.shared else None
    return run_with_locks_or_alone(write, more)


def _list_lock_of_key(key: IdempotencyKey | None) -> set[str]:
    return set() if key is None else {f"{key.user} {key.key}"}


def _is_limited_to_entity(registry: Registry, proposal: Proposal, spec: AspectSpec | None) -> bool:
    kind = proposal.urn.type
    if kind in ("custom", ASSERTION) or registry.get_type_or_unregistered(kind).managed_by:
        return False
    if spec is None:
        return kind in _DELETABLE if proposal.operation == "delete" else kind != "namespace"
    return not spec.timeseries and not spec.managed_by and spec.name not in PARENT_MEMBERS
