"""Proposals as Rest.li's clients send them: one, a batch, a snapshot of an entity, and the usage of datasets."""

from typing import Any, Final

from jupyter_colophon.core.datahub import mcp, snapshot, usage
from jupyter_colophon.operations.datahub import shapes
from jupyter_colophon.operations.datahub.ingest import IngestResult, SentProposal, propose
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services

PROPOSAL: Final = shapes.declare_object("proposal", proposal=mcp.SHAPE, **{"async": shapes.ASYNC})
PROPOSALS: Final = shapes.declare_object(
    "proposals", proposals=shapes.declare_list(mcp.SHAPE), **{"async": shapes.ASYNC}
)
SNAPSHOT: Final = shapes.declare_object(
    "entity", entity=shapes.declare_object("value", value=shapes.ANY), systemMetadata=shapes.SYSTEM_METADATA
)
BUCKETS: Final = shapes.declare_object("buckets", buckets=shapes.declare_list(usage.SHAPE))
_LATER: Final = ("true", True)


def ingest_proposal(services: Services, request: Request) -> Answer:
    """Write one proposal. Outside its value, characters that are not ASCII are sent as literal escapes."""
    return _ingest(services, request, [(mcp.unescape_proposal(request.body["proposal"]), "/proposal")])


def ingest_proposal_batch(services: Services, request: Request) -> Answer:
    """Write all proposals of a batch, or none of them."""
    proposals = enumerate(request.body["proposals"])
    return _ingest(services, request, [(document, f"/proposals/{at}") for at, document in proposals])


def ingest_snapshot(services: Services, request: Request) -> Answer:
    """Write a snapshot: aspects of one entity by the names of their classes."""
    proposals = snapshot.read_proposals(request.body, services.get_catalog().registry)
    return _answer(propose(services, request, [SentProposal(proposal, pointer) for proposal, pointer in proposals]))


def ingest_usage(services: Services, request: Request) -> Answer:
    """Write the usage of datasets, one value for each bucket of time."""
    buckets = [(bucket, f"/buckets/{at}") for at, bucket in enumerate(request.body["buckets"])]
    sent = [SentProposal(usage.read_proposal(bucket, pointer), pointer) for bucket, pointer in buckets]
    return _answer(propose(services, request, sent))


def _ingest(services: Services, request: Request, documents: list[tuple[Any, str]]) -> Answer:
    registry = services.get_catalog().registry
    sent = [
        SentProposal(
            mcp.read_proposal(document, registry, pointer),
            f"{pointer}/aspect/value",
            mcp.is_listed(document),
            f"{pointer}/entityUrn",
        )
        for document, pointer in documents
    ]
    return _answer(propose(services, request, sent, later=request.body.get("async") in _LATER))


def _answer(outcome: IngestResult) -> Answer:
    warnings = [{"pointer": warning.pointer, "message": warning.message} for warning in outcome.warnings]
    document: dict[str, Any] = {"value": "success"} | ({"warnings": warnings} if warnings else {})
    return Answer(document, headers=outcome.headers)
