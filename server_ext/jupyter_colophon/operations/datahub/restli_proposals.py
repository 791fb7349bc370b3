"""Proposals as Rest.li's clients send them: one, a batch, a snapshot of an entity, and the usage of datasets."""

from typing import Any, Final

from jupyter_colophon.core.datahub import mcp, snapshot, usage
from jupyter_colophon.operations.datahub import shapes
from jupyter_colophon.operations.datahub.ingest import Outcome, SentProposal, propose
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services

PROPOSAL: Final = shapes.record("proposal", proposal=mcp.SHAPE, **{"async": shapes.ASYNC})
PROPOSALS: Final = shapes.record("proposals", proposals=shapes.list_of(mcp.SHAPE), **{"async": shapes.ASYNC})
SNAPSHOT: Final = shapes.record(
    "entity", entity=shapes.record("value", value=shapes.ANY), systemMetadata=shapes.SYSTEM_METADATA
)
BUCKETS: Final = shapes.record("buckets", buckets=shapes.list_of(usage.SHAPE))
_LATER: Final = ("true", True)


def ingest_proposal(services: Services, request: Request) -> Answer:
    """Write one proposal. Outside its value, characters that are not ASCII are sent as literal escapes."""
    return _ingest(services, request, [(mcp.unescaped(request.body["proposal"]), "/proposal")])


def ingest_proposal_batch(services: Services, request: Request) -> Answer:
    """Write all proposals of a batch, or none of them."""
    proposals = enumerate(request.body["proposals"])
    return _ingest(services, request, [(document, f"/proposals/{at}") for at, document in proposals])


def ingest_snapshot(services: Services, request: Request) -> Answer:
    """Write a snapshot: aspects of one entity by the names of their classes."""
    proposals = snapshot.proposals(request.body, services.catalog().registry)
    return _answer(propose(services, request, [SentProposal(one, pointer) for one, pointer in proposals]))


def ingest_usage(services: Services, request: Request) -> Answer:
    """Write the usage of datasets, one value for each bucket of time."""
    buckets = [(bucket, f"/buckets/{at}") for at, bucket in enumerate(request.body["buckets"])]
    sent = [SentProposal(usage.proposal(bucket, pointer), pointer) for bucket, pointer in buckets]
    return _answer(propose(services, request, sent))


def _ingest(services: Services, request: Request, documents: list[tuple[Any, str]]) -> Answer:
    registry = services.catalog().registry
    sent = [
        SentProposal(
            mcp.proposal(document, registry, pointer),
            f"{pointer}/aspect/value",
            mcp.is_listed(document),
            f"{pointer}/entityUrn",
        )
        for document, pointer in documents
    ]
    return _answer(propose(services, request, sent, later=request.body.get("async") in _LATER))


def _answer(outcome: Outcome) -> Answer:
    warnings = [{"pointer": one.pointer, "message": one.message} for one in outcome.warnings]
    document: dict[str, Any] = {"value": "success"} | ({"warnings": warnings} if warnings else {})
    return Answer(document, headers=outcome.headers)
