"""Which proposals delete something: each needs the right `admin`, which no kernel's token has (SECURITY.md).

Whatever API a proposal comes by, at once or from the inbox, the write path asks here. What stays allowed with `annotate`
and `emit` is to change values, and so to remove entries of them: tags, properties, columns.
"""

from typing import Any

from jupyter_colophon.core.entities.entity import STATUS, is_removed
from jupyter_colophon.core.model.proposal import Proposal


def is_deletion(proposal: Proposal) -> bool:
    """Whether a proposal says by itself that it deletes an entity or an aspect, or marks an entity as removed."""
    return proposal.operation == "delete" or (proposal.aspect == STATUS and is_removed(proposal.value))


def removes_entity(aspect: str, before: Any, after: Any) -> bool:
    """Whether a new value of an aspect marks an entity as removed that was not: patches show it only when applied."""
    return aspect == STATUS and is_removed(after) and not is_removed(before)
