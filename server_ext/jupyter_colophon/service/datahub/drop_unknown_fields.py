"""Drop unknown fields from proposals of DataHub clients of another version."""

from dataclasses import replace

from jupyter_colophon.core.datahub.unknown_fields import filter_known_fields
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry


def drop_unknown_fields(registry: Registry, proposal: Proposal) -> tuple[Proposal, tuple[str, ...]]:
    """Return the proposal without unknown fields, and the pointers to them; patches are unchanged."""
    if proposal.aspect is None or proposal.operation in ("patch", "delete"):
        return proposal, ()
    spec = registry.get_aspect(proposal.urn.type, proposal.aspect)
    if spec.schema.is_valid(proposal.value):
        return proposal, ()
    value, dropped = filter_known_fields(spec.schema.document, proposal.value)
    return replace(proposal, value=value), dropped
