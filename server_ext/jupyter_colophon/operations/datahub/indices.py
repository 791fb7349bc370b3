"""Restoring indices, which is never needed here: search and lineage are written with each change."""

from typing import Final

from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.datahub.actions import RestliAction, declare_restli_actions
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_NOT_NEEDED: Final = (
    "nothing needs to be restored: search and lineage are written with each change;"
    " `jupyter colophon verify` compares them with it, and `jupyter colophon reindex` rebuilds them"
)


def answer_restore_indices_not_needed(services: ProcessServices, request: OperationRequest) -> Document:
    """Return why it is not needed."""
    return {"value": _NOT_NEEDED}


ACT_ON_OPERATIONS: Final = declare_restli_actions(
    "actOnOperations",
    "/operations",
    "Return why indices need not be restored (`restoreIndices`)",
    {"restoreIndices": RestliAction(answer_restore_indices_not_needed, body_schemas.ANY)},
    answer=body_schemas.declare_action_result_schema(body_schemas.TEXT),
)
