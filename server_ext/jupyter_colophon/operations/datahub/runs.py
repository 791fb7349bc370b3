"""Runs of ingestions: their list, what each of them wrote, and rolling one back."""

from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import NotFound, TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.datahub.actions import RestliAction, declare_restli_actions
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

#: Rolled-back writes of a run are never returned, whatever `includeSoft` is.
_LIST: Final = body_schemas.declare_object_schema(
    pageOffset=body_schemas.OFFSET, pageSize=body_schemas.COUNT, includeSoft=body_schemas.FLAG_OR_NULL
)
_DESCRIBE: Final = body_schemas.declare_object_schema(
    "runId",
    runId=body_schemas.TEXT,
    start=body_schemas.OFFSET,
    count=body_schemas.COUNT,
    includeSoft=body_schemas.FLAG_OR_NULL,
    includeAspect=body_schemas.FLAG_OR_NULL,
)
_ROLL_BACK: Final = body_schemas.declare_object_schema(
    "runId",
    runId=body_schemas.TEXT,
    dryRun=body_schemas.FLAG_OR_NULL,
    safe=body_schemas.FLAG_OR_NULL,
    hardDelete=body_schemas.FLAG_OR_NULL,
)
_COUNT: Final = 100


def list_ingestion_runs(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a page of runs, the one that wrote last first."""
    page, count = request.body.get("pageOffset", 0), body_schemas.parse_count_of_body(request.body, "pageSize", _COUNT)
    # The command line sends the number of the page, and its length.
    runs = services.get_or_open_catalog().datahub.ingestions.list_visible_runs(page * count, count, request.principal)
    return {"value": [{"runId": run.run, "timestamp": run.time, "rows": run.aspects} for run in runs]}


def list_aspects_of_ingestion_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the aspects whose current value a run wrote; with `includeAspect`, including the values."""
    catalog, body = services.get_or_open_catalog(), request.body
    start, count = body.get("start", 0), body_schemas.parse_count_of_body(body, "count", _COUNT)
    aspects = catalog.datahub.ingestions.list_visible_aspects_of_run(body["runId"], start, count, request.principal)
    rows = [_render_aspect_of_run(catalog.registry, *item) for item in aspects]
    if body.get("includeAspect"):
        size = 0
        for row in rows:
            stored = catalog.datahub.reader.read_aspects_of_existing_entities(
                [Urn.parse(row["urn"])], {row["aspectName"]}, request.principal
            )
            aspect = stored.get(row["urn"], {}).get(row["aspectName"])
            row["payload"] = None if aspect is None else encode_canonical_json(aspect.value)
            size += len(row["payload"] or "")
            if size > LIST_BYTES_MAX:
                raise TooLarge(f"the answer would have more than {LIST_BYTES_MAX} bytes: send a smaller count")
    return {"value": rows}


def roll_back_ingestion_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Undo the writes of a run; with `dryRun`, only return them."""
    catalog, body = services.get_or_open_catalog(), request.body
    safe = body.get("safe") is not False and body.get("hardDelete") is not True
    result = catalog.datahub.ingestions.roll_back_run(
        body["runId"], request.principal, dry_run=body.get("dryRun") is True, safe=safe
    )
    value = {
        "aspectRowSummaries": [_render_aspect_of_run(catalog.registry, *row) for row in result.rows],
        "entitiesAffected": result.entities_affected,
        "entitiesDeleted": result.entities_deleted,
        "aspectsReverted": result.aspects_reverted,
        "aspectsAffected": result.aspects_affected,
        "unsafeEntitiesCount": result.unsafe_count,
        "unsafeEntities": [{"urn": urn} for urn in result.unsafe],
    }
    return {"value": value}


def _render_aspect_of_run(registry: Registry, run: str, urn: str, aspect: str, time: int) -> dict[str, Any]:
    key_aspect = registry.get_type(Urn.parse(urn).type).key_aspect
    row = {"runId": run, "urn": urn, "aspectName": aspect, "timestamp": time}
    return {**row, "metadata": "", "version": 0, "keyAspect": aspect == key_aspect}


ACT_ON_RUNS: Final = declare_restli_actions(
    "actOnRuns",
    "/runs",
    "List the runs of ingestions (`list`), return what one wrote (`describe`), or undo it (`rollback`)",
    {
        "list": RestliAction(list_ingestion_runs, _LIST),
        "describe": RestliAction(list_aspects_of_ingestion_run, _DESCRIBE),
        "rollback": RestliAction(roll_back_ingestion_run, _ROLL_BACK, writes=True),
    },
    answer={
        "anyOf": [
            body_schemas.declare_action_result_schema(body_schemas.declare_list_schema(body_schemas.ANY)),
            body_schemas.declare_action_result_schema(body_schemas.ANY),
        ]
    },
    errors=[NotFound, TooLarge],
)
