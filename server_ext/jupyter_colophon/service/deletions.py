"""Decide which proposals delete something: each needs the scope `admin`, which no kernel token has (SECURITY.md).

The write path checks this for every API and for the inbox. Callers with `annotate` and `emit` may still change values,
and so remove entries of them: tags, properties, columns.
"""

from collections.abc import Callable
from typing import Any

from jupyter_colophon.core.entities.entity import STATUS, is_status_removed
from jupyter_colophon.core.model.proposal import Proposal


def is_deleting_proposal(proposal: Proposal) -> bool:
    """Return whether a proposal deletes an entity or an aspect, or marks an entity as removed."""
    return proposal.operation == "delete" or (proposal.aspect == STATUS and is_status_removed(proposal.value))


def is_marking_removed(aspect: str, read_before: Callable[[], Any], after: Any) -> bool:
    """Return whether a new value of an aspect marks an entity as removed; for a patch this is known only after applying it.

    The value before is read only if it matters.
    """
    return aspect == STATUS and is_status_removed(after) and not is_status_removed(read_before())
