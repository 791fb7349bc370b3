"""Validate a proposal on its own, without the stored state, collecting every schema error."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.documents.patch import apply_json_patch, apply_merge_patch
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, MetadataEdit
from jupyter_colophon.core.errors import InvalidInstance, ManagedElsewhere, NotFound, PatchFailed, Problem
from jupyter_colophon.core.model import business_metadata_limits, declared_lineage
from jupyter_colophon.core.model.key_aspect import has_key
from jupyter_colophon.core.model.proposal import CREATING, Condition, Proposal
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import TableContext

#: The operations that contain a complete value.
_WITH_VALUE = CREATING | {"upsert", "update"}


@contextmanager
def prefix_pointers(batch: str, at: int) -> Iterator[None]:
    """Prefix the pointers of a proposal's problems with its position in the batch; no prefix if `batch` is ""."""
    try:
        yield
    except (InvalidInstance, PatchFailed) as error:
        if batch:
            value = f"{batch}/{at}/{getattr(error, 'part', 'value')}"
            error.problems = tuple(Problem(value + problem.pointer, problem.message) for problem in error.problems)
        raise


def require_api(needed: str, api: str, subject: str) -> None:
    """Raise ManagedElsewhere unless the subject may be changed through this API."""
    if needed not in ("", api):
        raise ManagedElsewhere(subject, needed)


def require_entity_operation(proposal: Proposal) -> None:
    """Raise InvalidInstance unless the proposal is valid without an aspect."""
    if proposal.operation not in (*CREATING, "delete") or proposal.value is not None:
        wrong = "without an aspect, only delete, create and create-entity are allowed, without a value"
        raise InvalidInstance("the proposal", (Problem("", wrong),))


def require_appending(proposal: Proposal) -> None:
    """Raise InvalidInstance unless the proposal appends: timeseries aspects allow nothing else."""
    if proposal.operation != "upsert":
        raise InvalidInstance(str(proposal.aspect), (Problem("", "is a timeseries aspect: use the operation upsert"),))
    if proposal.condition != Condition() or proposal.if_absent:
        raise InvalidInstance(
            str(proposal.aspect),
            (Problem("", "is a timeseries aspect: it has no versions, so conditions are not allowed"),),
        )
    time = proposal.value.get("timestampMillis") if isinstance(proposal.value, dict) else None
    if not isinstance(time, int) or isinstance(time, bool) or abs(time) >= 1 << 63:
        raise InvalidInstance(
            str(proposal.aspect), (Problem("/timestampMillis", "must be an integer: milliseconds since the epoch"),)
        )


def run_validators(registry: Registry, proposal: Proposal, value: Any) -> None:
    """Run the validators of other packages; a deletion has the value None. Raises InvalidInstance."""
    for rule in registry.validators:
        aspect = proposal.aspect or registry.get_type(proposal.urn.type).key_aspect
        if rule.applies_to(proposal.operation, proposal.urn.type, aspect):
            rule.validate(proposal.operation, proposal.urn, aspect, value)


def create_initial_value(spec: AspectSpec, changes: Any) -> dict[str, Any]:
    """Return the value that a patch of an absent aspect is applied to."""
    return patch_forms.get_initial_value(spec.name) if patch_forms.is_form(changes) else dict(spec.empty)


def apply_change(spec: AspectSpec, value: Any, changes: Any) -> Any:
    """Return the value after a change: a JSON Patch, DataHub's form of one, a merge patch, or an annotation.

    A list is a JSON Patch (RFC 6902), an object is DataHub's form or a merge patch (RFC 7396). Raises InvalidInstance,
    PatchFailed.
    """
    if isinstance(changes, MetadataEdit):
        new: Any = changes.apply_to(value)
    elif isinstance(changes, list):
        new = apply_json_patch(value, changes)
    elif patch_forms.is_form(changes):
        new = patch_forms.apply(spec.name, value, changes)
    else:
        new = apply_merge_patch(value, changes)
    validate(spec, new)
    return new


def validate(spec: AspectSpec, value: Any) -> None:
    """Raise InvalidInstance, with every problem, unless the value fits the aspect's schema."""
    spec.schema.validate(value, spec.name)
    if spec.name == "businessMetadata" and (problems := business_metadata_limits.find_size_problems(value)):
        raise InvalidInstance(spec.name, problems)
    if spec.name in declared_lineage.ASPECTS and (wrong := declared_lineage.find_problems(spec.name, value)):
        raise InvalidInstance(spec.name, tuple(wrong))


def require_runs(tx: TableContext, proposals: Sequence[Proposal], batch: str) -> None:
    """Raise NotFound for the first unknown run; `batch` is the pointer to the proposals."""
    positions = {proposal.run: at for at, proposal in reversed([*enumerate(proposals)]) if proposal.run is not None}
    for run, at in positions.items():
        if runs.find_program(tx, run) is None:
            error = NotFound("run", run)
            error.problems = (Problem(f"{batch}/{at}/run" if batch else "/run", "no such run"),)
            raise error


def resolve_aspect(registry: Registry, proposal: Proposal, api: str) -> AspectSpec | None:
    """Return the proposal's aspect; None for a whole entity. Raises InvalidInstance, ManagedElsewhere, NotFound."""
    if not has_key(proposal.urn, registry.get_type(proposal.urn.type)):
        raise InvalidInstance(
            "the proposal", (Problem("", "the URN does not have the parts that its type requires"),), part="urn"
        )
    if proposal.aspect is None:
        require_entity_operation(proposal)
        require_api(registry.get_type(proposal.urn.type).managed_by, api, str(proposal.urn))
        return None
    spec = registry.get_aspect(proposal.urn.type, proposal.aspect)
    if spec.key:
        raise InvalidInstance(spec.name, (Problem("", "is derived from the URN and cannot be written"),))
    require_api(spec.managed_by, api, f"{spec.name} of {proposal.urn}")
    if spec.timeseries:
        require_appending(proposal)
    if proposal.operation in _WITH_VALUE:
        validate(spec, proposal.value)
    if proposal.operation == "annotate":
        if spec.name not in ASPECT_OF_SCOPE.values():
            raise InvalidInstance(spec.name, (Problem("", "has no properties or tags to annotate"),))
        # Keys and values are checked independently of the stored state, so senders to the inbox get errors at once.
        validate(spec, proposal.value.apply_to(spec.empty))
    return spec
