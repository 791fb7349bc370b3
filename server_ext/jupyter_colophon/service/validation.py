"""What can be said of a proposal's value without looking at what else is there: it fits its aspect, or every place that does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.core import asserted, business
from jupyter_colophon.core.annotation import Change
from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import InvalidInstance, OtherDoor, PatchFailed, Problem
from jupyter_colophon.core.patch import apply_json_patch, apply_merge_patch
from jupyter_colophon.core.proposal import CREATING, Condition, Proposal
from jupyter_colophon.core.registry import AspectSpec, Registry


@contextmanager
def told_within(batch: str, at: int) -> Iterator[None]:
    """Make the pointers of a proposal's problems lead into the batch that holds it."""
    try:
        yield
    except (InvalidInstance, PatchFailed) as error:
        if batch:
            value = f"{batch}/{at}/value"
            error.problems = tuple(Problem(value + one.pointer, one.message) for one in error.problems)
        raise


def require_door(needed: str, door: str, subject: str) -> None:
    """Raise OtherDoor unless this is the door through which the subject is changed."""
    if needed not in ("", door):
        raise OtherDoor(subject, needed)


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
    if spec.name == "businessMetadata" and (problems := business.size_problems(value)):
        raise InvalidInstance(spec.name, problems)
    if spec.name in asserted.ASPECTS and (wrong := asserted.problems(spec.name, value)):
        raise InvalidInstance(spec.name, tuple(wrong))
