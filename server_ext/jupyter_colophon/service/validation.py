"""Validate a proposal on its own, without the stored state, collecting every schema error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.documents.patch import apply_json_patch, apply_merge_patch
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, MetadataEdit
from jupyter_colophon.core.errors import InvalidInstance, ManagedElsewhere, NotFound, PatchFailed, Problem
from jupyter_colophon.core.identity.names import IdentityRules, Urn, parse_notebook_program_urn
from jupyter_colophon.core.model import business_metadata_limits, declared_lineage
from jupyter_colophon.core.model.key_aspect import has_valid_key
from jupyter_colophon.core.model.proposal import CREATING, Proposal, WriteCondition
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.policies.policy import POLICY_ASPECT, parse_policy
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import TableContext

#: The operations that contain a complete value.
_WITH_VALUE = CREATING | {"upsert", "update"}


@dataclass(slots=True)
class ProblemPointerPrefix:
    """Prefixes the pointers of a proposal's problems with its position in the batch; no prefix if `batch_pointer` is ""."""

    batch_pointer: str
    index: int

    def __enter__(self) -> None:
        """Begin with the proposal."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Change the problems of the error, if there is one, which is raised."""
        if self.batch_pointer and isinstance(error, InvalidInstance | PatchFailed):
            value = f"{self.batch_pointer}/{self.index}/{getattr(error, 'part', 'value')}"
            error.problems = tuple(Problem(value + problem.pointer, problem.message) for problem in error.problems)


def require_responsible_api(needed: str, api: str, subject: str) -> None:
    """Raise ManagedElsewhere unless the subject may be changed through this API."""
    if needed not in ("", api):
        raise ManagedElsewhere(subject, needed)


def require_valid_without_aspect(proposal: Proposal) -> None:
    """Raise InvalidInstance unless the proposal is valid without an aspect."""
    if proposal.operation not in (*CREATING, "delete") or proposal.value is not None:
        wrong = "without an aspect, only delete, create and create-entity are allowed, without a value"
        raise InvalidInstance("the proposal", (Problem("", wrong),))


def require_append_if_timeseries(proposal: Proposal) -> None:
    """Raise InvalidInstance unless the proposal appends: timeseries aspects allow nothing else."""
    if proposal.operation != "upsert":
        raise InvalidInstance(str(proposal.aspect), (Problem("", "is a timeseries aspect: use the operation upsert"),))
    if proposal.condition != WriteCondition() or proposal.if_absent:
        raise InvalidInstance(
            str(proposal.aspect),
            (Problem("", "is a timeseries aspect: it has no versions, so conditions are not allowed"),),
        )
    time = proposal.value.get("timestampMillis") if isinstance(proposal.value, dict) else None
    if not isinstance(time, int) or isinstance(time, bool) or abs(time) >= 1 << 63:
        raise InvalidInstance(
            str(proposal.aspect), (Problem("/timestampMillis", "must be an integer: milliseconds since the epoch"),)
        )


def run_package_validators(registry: Registry, proposal: Proposal, value: Any) -> None:
    """Run the validators of other packages; a deletion has the value None. Raises InvalidInstance."""
    for rule in registry.validators:
        aspect = proposal.aspect or registry.get_type(proposal.urn.type).key_aspect
        if rule.applies_to_proposal(proposal.operation, proposal.urn.type, aspect):
            rule.require_valid_value(proposal.operation, proposal.urn, aspect, value)


def create_initial_value_for_patch(spec: AspectSpec, changes: Any) -> dict[str, Any]:
    """Return the value that a patch of an absent aspect is applied to."""
    return (
        patch_forms.get_initial_aspect_value(spec.name) if patch_forms.is_datahub_patch(changes) else dict(spec.empty)
    )


def compute_changed_value(spec: AspectSpec, value: Any, changes: Any) -> Any:
    """Return the value after a change: a JSON Patch, DataHub's form of one, a merge patch, or an annotation.

    A list is a JSON Patch (RFC 6902), an object is DataHub's form or a merge patch (RFC 7396). Raises InvalidInstance,
    PatchFailed.
    """
    if isinstance(changes, MetadataEdit):
        new: Any = changes.apply_to_metadata(value)
    elif isinstance(changes, list):
        new = apply_json_patch(value, changes)
    elif patch_forms.is_datahub_patch(changes):
        new = patch_forms.apply_datahub_patch(spec.name, value, changes)
    else:
        new = apply_merge_patch(value, changes)
    require_valid_aspect_value(spec, new)
    return new


def require_valid_aspect_value(spec: AspectSpec, value: Any) -> None:
    """Raise InvalidInstance, with every problem, unless the value fits the aspect's schema."""
    spec.schema.require_valid(value, spec.name)
    if spec.name == "businessMetadata" and (problems := business_metadata_limits.find_metadata_size_problems(value)):
        raise InvalidInstance(spec.name, problems)
    if spec.name in declared_lineage.ASPECTS and (
        wrong := declared_lineage.find_declared_lineage_problems(spec.name, value)
    ):
        raise InvalidInstance(spec.name, tuple(wrong))
    if spec.name == POLICY_ASPECT:
        # What the schema cannot express: a policy that was stored and cannot be used would deny everything.
        parse_policy(spec.name, value, spec.schema)


def require_known_runs(tx: TableContext, proposals: Sequence[Proposal], batch: str) -> None:
    """Raise NotFound for the first unknown run; `batch` is the pointer to the proposals."""
    named = [(at, proposal.run) for at, proposal in enumerate(proposals) if proposal.run is not None]
    positions = {run: at for at, run in reversed(named)}
    for run, at in positions.items():
        if runs.find_program_of_run(tx, run) is None:
            error = NotFound("run", run)
            error.problems = (Problem(f"{batch}/{at}/run" if batch else "/run", "no such run"),)
            raise error


def resolve_aspect(registry: Registry, proposal: Proposal, api: str) -> AspectSpec | None:
    """Return the proposal's aspect; None for a whole entity. Raises InvalidInstance, ManagedElsewhere, NotFound."""
    if not has_valid_key(proposal.urn, registry.get_type(proposal.urn.type)):
        raise InvalidInstance(
            "the proposal", (Problem("", "the URN does not have the parts that its type requires"),), part="urn"
        )
    if proposal.aspect is None:
        require_valid_without_aspect(proposal)
        require_responsible_api(registry.get_type(proposal.urn.type).managed_by, api, str(proposal.urn))
        return None
    spec = registry.get_aspect(proposal.urn.type, proposal.aspect)
    if spec.key:
        raise InvalidInstance(spec.name, (Problem("", "is derived from the URN and cannot be written"),))
    require_responsible_api(spec.managed_by, api, f"{spec.name} of {proposal.urn}")
    if spec.timeseries:
        require_append_if_timeseries(proposal)
    if proposal.operation in _WITH_VALUE:
        require_valid_aspect_value(spec, proposal.value)
    if proposal.operation == "annotate":
        if spec.name not in ASPECT_OF_SCOPE.values():
            raise InvalidInstance(spec.name, (Problem("", "has no properties or tags to annotate"),))
        # Keys and values are checked independently of the stored state, so senders to the inbox get errors at once.
        require_valid_aspect_value(spec, proposal.value.apply_to_metadata(spec.empty))
    return spec


def _is_notebook(urn: Urn) -> bool:
    """Return whether this is the program of a notebook, and not of one of its cells."""
    place = parse_notebook_program_urn(urn)
    return place is not None and place[1] is None


def require_valid_new_name(identity: IdentityRules, urn: Urn, new: Urn) -> None:
    """Raise InvalidInstance unless the dataset or notebook may be renamed to the new name."""
    problem = ""
    if urn == new:
        problem = "is already the name of the dataset"
    elif _is_notebook(urn) and _is_notebook(new):
        problem = "" if urn.parts[0] == new.parts[0] else "the new name is in another namespace"
    elif (urn.type, new.type) != ("dataset", "dataset"):
        problem = "only datasets and notebooks can be renamed"
    elif identity.is_stream(urn) or identity.is_stream(new):
        problem = "a stream cannot be renamed"
    elif identity.get_namespace(urn) != identity.get_namespace(new):
        problem = "the new name is in another namespace"
    elif (urn.parts[0], urn.parts[2]) != (new.parts[0], new.parts[2]):
        problem = "the new name has another platform or fabric"
    if problem:
        raise InvalidInstance("the rename", (Problem("/to", problem),))
