"""What can be said of a proposal's value without looking at what else is there: it fits its aspect, or every place that does not."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.documents.patch import apply_json_patch, apply_merge_patch
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, Change
from jupyter_colophon.core.errors import InvalidInstance, ManagedElsewhere, NotFound, PatchFailed, Problem
from jupyter_colophon.core.model import business_metadata_limits, declared_lineage
from jupyter_colophon.core.model.key_aspect import has_key
from jupyter_colophon.core.model.proposal import CREATING, Condition, Proposal
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import TableContext

#: The operations that give the whole value.
_VALUED = CREATING | {"upsert", "update"}


@contextmanager
def told_within(batch: str, at: int) -> Iterator[None]:
    """Make the pointers of a proposal's problems lead into the batch that holds it."""
    try:
        yield
    except (InvalidInstance, PatchFailed) as error:
        if batch:
            value = f"{batch}/{at}/{getattr(error, 'part', 'value')}"
            error.problems = tuple(Problem(value + one.pointer, one.message) for one in error.problems)
        raise


def require_door(needed: str, door: str, subject: str) -> None:
    """Raise ManagedElsewhere unless this is the door through which the subject is changed."""
    if needed not in ("", door):
        raise ManagedElsewhere(subject, needed)


def require_whole(proposal: Proposal) -> None:
    """Raise InvalidInstance unless it is possible without an aspect."""
    if proposal.operation not in (*CREATING, "delete") or proposal.value is not None:
        wrong = "only delete, create and create-entity are possible without an aspect, and without a value"
        raise InvalidInstance("the proposal", (Problem("", wrong),))


def require_appending(proposal: Proposal) -> None:
    """Raise InvalidInstance unless the proposal appends, which is all that can be done with what is told by time."""
    if proposal.operation != "upsert":
        raise InvalidInstance(str(proposal.aspect), (Problem("", "is told by time: it is only upserted"),))
    if proposal.condition != Condition() or proposal.if_absent:
        raise InvalidInstance(str(proposal.aspect), (Problem("", "is told by time: it has no version to depend on"),))
    time = proposal.value.get("timestampMillis") if isinstance(proposal.value, dict) else None
    if not isinstance(time, int) or isinstance(time, bool) or abs(time) >= 1 << 63:
        raise InvalidInstance(str(proposal.aspect), (Problem("/timestampMillis", "is a time in milliseconds"),))


def hold(registry: Registry, proposal: Proposal, value: Any) -> None:
    """Raise InvalidInstance where a rule of another package is against this value; None is that of a deletion."""
    for rule in registry.rules:
        aspect = proposal.aspect or registry.type(proposal.urn.type).key_aspect
        if rule.is_for(proposal.operation, proposal.urn.type, aspect):
            rule.hold(proposal.operation, proposal.urn, aspect, value)


def beginning(spec: AspectSpec, changes: Any) -> dict[str, Any]:
    """What a change of an absent aspect starts from."""
    return patch_forms.beginning(spec.name) if patch_forms.is_form(changes) else dict(spec.empty)


def changed(spec: AspectSpec, value: Any, changes: Any) -> Any:
    """A list is a JSON Patch (RFC 6902), an object DataHub's form of one or a merge patch (RFC 7396).

    Or it is a change of properties and tags.
    """
    if isinstance(changes, Change):
        new: Any = changes.applied(value)
    elif isinstance(changes, list):
        new = apply_json_patch(value, changes)
    elif patch_forms.is_form(changes):
        new = patch_forms.apply(spec.name, value, changes)
    else:
        new = apply_merge_patch(value, changes)
    validate(spec, new)
    return new


def validate(spec: AspectSpec, value: Any) -> None:
    """Raise InvalidInstance, with every problem, unless the value is one of the aspect."""
    spec.schema.validate(value, spec.name)
    if spec.name == "businessMetadata" and (problems := business_metadata_limits.size_problems(value)):
        raise InvalidInstance(spec.name, problems)
    if spec.name in declared_lineage.ASPECTS and (wrong := declared_lineage.problems(spec.name, value)):
        raise InvalidInstance(spec.name, tuple(wrong))


def require_runs(tx: TableContext, proposals: Sequence[Proposal], batch: str) -> None:
    """Raise NotFound for the first run that is named and that nobody recorded; `batch` is the pointer to the proposals."""
    places = {proposal.run: at for at, proposal in reversed([*enumerate(proposals)]) if proposal.run is not None}
    for run, at in places.items():
        if runs.program_of(tx, run) is None:
            absent = NotFound("run", run)
            absent.problems = (Problem(f"{batch}/{at}/run" if batch else "/run", "there is no such run"),)
            raise absent


def fitting(registry: Registry, proposal: Proposal, door: str) -> AspectSpec | None:
    """The aspect that a proposal is about, if about one. Raises InvalidInstance, ManagedElsewhere where it cannot be meant."""
    if not has_key(proposal.urn, registry.type(proposal.urn.type)):
        raise InvalidInstance("the proposal", (Problem("", "the URN has not the parts of its type"),), part="urn")
    if proposal.aspect is None:
        require_whole(proposal)
        require_door(registry.type(proposal.urn.type).door, door, str(proposal.urn))
        return None
    spec = registry.aspect(proposal.urn.type, proposal.aspect)
    if spec.key:
        raise InvalidInstance(spec.name, (Problem("", "is made of the URN; nobody writes it"),))
    require_door(spec.door, door, f"{spec.name} of {proposal.urn}")
    if spec.timeseries:
        require_appending(proposal)
    if proposal.operation in _VALUED:
        validate(spec, proposal.value)
    if proposal.operation == "annotate":
        if spec.name not in ASPECT_OF_SCOPE.values():
            raise InvalidInstance(spec.name, (Problem("", "has no properties and tags to annotate"),))
        # What is wrong with a key or a value is so whatever is there: who sends it to the inbox is told at once.
        validate(spec, proposal.value.applied(spec.empty))
    return spec
