"""Restoring indices, which is never needed here: search and lineage are written with each change."""

from typing import Final

from jupyter_colophon.operations.datahub import shapes
from jupyter_colophon.operations.datahub.actions import RestliAction, declare_actions
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services

_NOT_NEEDED: Final = (
    "nothing needs to be restored: search and lineage are written with each change;"
    " `jupyter colophon verify` compares them with it, and `jupyter colophon reindex` rebuilds them"
)


def restore_indices(services: Services, request: Request) -> Document:
    """Return why it is not needed."""
    return {"value": _NOT_NEEDED}


ACT_ON_OPERATIONS: Final = declare_actions(
    "actOnOperations",
    "/operations",
    "Return why indices need not be restored (`restoreIndices`)",
    {"restoreIndices": RestliAction(restore_indices, shapes.ANY)},
    answer=shapes.declare_action_result(shapes.TEXT),
)
