"""What the model does not know is left out of what DataHub's clients of another version propose."""

from dataclasses import replace

from jupyter_colophon.core.datahub.unknown_fields import known_only
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry


def known(registry: Registry, one: Proposal) -> tuple[Proposal, tuple[str, ...]]:
    """The proposal without the fields that its model does not know, and the pointers to them; a patch is as it is."""
    if one.aspect is None or one.operation in ("patch", "delete"):
        return one, ()
    spec = registry.aspect(one.urn.type, one.aspect)
    if spec.schema.is_valid(one.value):
        return one, ()
    value, dropped = known_only(spec.schema.document, one.value)
    return replace(one, value=value), dropped
