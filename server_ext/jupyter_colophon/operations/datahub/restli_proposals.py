"""Proposals as Rest.li's clients send them: one, a batch, a snapshot of an entity, and the usage of datasets."""

from typing import Any, Final

from jupyter_colophon.core.datahub import mcp, snapshot, usage
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.datahub.ingest import IngestResult, SentProposal, write_or_queue_proposals
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

PROPOSAL: Final = body_schemas.declare_object_schema("proposal", proposal=mcp.SHAPE, **{"async": body_schemas.ASYNC})
PROPOSALS: Final = body_schemas.declare_object_schema(
    "proposals", proposals=body_schemas.declare_list_schema(mcp.SHAPE), **{"async": body_schemas.ASYNC}
)
SNAPSHOT: Final = body_schemas.declare_object_schema(
    "entity",
    entity=body_schemas.declare_object_schema("value", value=body_schemas.ANY),
    systemMetadata=body_schemas.SYSTEM_METADATA,
)
BUCKETS: Final = body_schemas.declare_object_schema("buckets", buckets=body_schemas.declare_list_schema(usage.SHAPE))
_LATER: Final = ("true", True)


def ingest_proposal(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Write one proposal. Outside its value, characters that are not ASCII are sent as literal escapes."""
    return _ingest_documents(
        services, request, [(mcp.decode_unicode_escapes_outside_aspects(request.body["proposal"]), "/proposal")]
    )


def ingest_proposal_batch(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Write all proposals of a batch, or none of them."""
    proposals = enumerate(request.body["proposals"])
    return _ingest_documents(services, request, [(document, f"/proposals/{at}") for at, document in proposals])


def ingest_snapshot(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Write a snapshot: aspects of one entity by the names of their classes."""
    proposals = snapshot.parse_snapshot_proposals(request.body, services.get_or_open_catalog().registry)
    return _build_ingest_answer(
        write_or_queue_proposals(
            services, request, [SentProposal(proposal, pointer) for proposal, pointer in proposals]
        )
    )


def ingest_usage(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Write the usage of datasets, one value for each bucket of time."""
    buckets = [(bucket, f"/buckets/{at}") for at, bucket in enumerate(request.body["buckets"])]
    sent = [
        SentProposal(usage.convert_usage_bucket_to_proposal(bucket, pointer), pointer) for bucket, pointer in buckets
    ]
    return _build_ingest_answer(write_or_queue_proposals(services, request, sent))


def _ingest_documents(
    services: ProcessServices, request: OperationRequest, documents: list[tuple[Any, str]]
) -> OperationAnswer:
    registry = services.get_or_open_catalog().registry
    sent = [
        SentProposal(
            mcp.read_valid_proposal(document, registry, pointer),
            f"{pointer}/aspect/value",
            mcp.is_json_patch_list(document),
            f"{pointer}/entityUrn",
        )
        for document, pointer in documents
    ]
    return _build_ingest_answer(
        write_or_queue_proposals(services, request, sent, queue=request.body.get("async") in _LATER)
    )


def _build_ingest_answer(outcome: IngestResult) -> OperationAnswer:
    warnings = [{"pointer": warning.pointer, "message": warning.message} for warning in outcome.warnings]
    document: dict[str, Any] = {"value": "success"} | ({"warnings": warnings} if warnings else {})
    return OperationAnswer(document, headers=outcome.headers)
