"""Proposals as DataHub's clients send them through Rest.li."""

import json
from typing import Any

T = "urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD)"
SYSTEM = {"lastObserved": 1795169599357, "runId": "no-run-id-provided", "lastRunId": "no-run-id-provided"}


def build_proposal(aspect: str, value: Any, change: str = "UPSERT", urn: str = T, **more: Any) -> dict[str, Any]:
    generic = {"value": json.dumps(value), "contentType": "application/json"}
    kind = urn.split(":")[2]
    return {"entityType": kind, "entityUrn": urn, "changeType": change, "aspectName": aspect, "aspect": generic} | more


async def emit_proposal(datahub: Any, proposal: dict[str, Any], **more: Any) -> Any:
    body = {"proposal": proposal, "async": "false"} | more
    return await datahub("POST", "aspects", params={"action": "ingestProposal"}, body=body)


async def emit_proposals(datahub: Any, *proposals: dict[str, Any], **more: Any) -> Any:
    body = {"proposals": list(proposals), "async": "false"} | more
    return await datahub("POST", "aspects", params={"action": "ingestProposalBatch"}, body=body)


async def read_aspect(datahub: Any, name: str, urn: str = T, version: int = 0) -> Any:
    return await datahub("GET", "aspects", urn, params={"aspect": name, "version": version})
