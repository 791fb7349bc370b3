"""Proposals as Rest.li's clients send them: one, a batch, a snapshot of an entity, and how datasets were used."""

from typing import Any

from jupyter_colophon.core.datahub import mcp, snapshot, usage
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.ingest import Outcome, Wish, propose
from jupyter_colophon.http.datahub.request import Answer, Asking

PROPOSAL = shapes.record("proposal", proposal=mcp.SHAPE, **{"async": shapes.ASYNC})
PROPOSALS = shapes.record("proposals", proposals=shapes.several(mcp.SHAPE), **{"async": shapes.ASYNC})
SNAPSHOT = shapes.record(
    "entity", entity=shapes.record("value", value=shapes.ANY), systemMetadata={"type": ["object", "string", "null"]}
)
BUCKETS = shapes.record("buckets", buckets=shapes.several(usage.SHAPE))
_LATER = ("true", True)


def ingest_proposal(asking: Asking) -> Answer:
    """One proposal. What is not ASCII outside its value comes as literal escapes."""
    told = mcp.unescaped(asking.body["proposal"])
    return _proposed(asking, [(told, "/proposal")])


def ingest_proposal_batch(asking: Asking) -> Answer:
    """A batch of proposals, wholly or not at all."""
    return _proposed(asking, [(told, f"/proposals/{at}") for at, told in enumerate(asking.body["proposals"])])


def ingest(asking: Asking) -> Answer:
    """A snapshot: aspects of one entity by the names of their classes."""
    found = snapshot.proposals(asking.body, asking.catalog.registry)
    return _answer(propose(asking, [Wish(one, place) for one, place in found]))


def ingest_usage(asking: Asking) -> Answer:
    """How datasets were used, a bucket of time each."""
    buckets = enumerate(asking.body["buckets"])
    return _answer(
        propose(asking, [Wish(usage.proposal(one, f"/buckets/{at}"), f"/buckets/{at}") for at, one in buckets])
    )


def _proposed(asking: Asking, told: list[tuple[Any, str]]) -> Answer:
    registry = asking.catalog.registry
    wishes = [
        Wish(mcp.proposal(one, registry, at), f"{at}/aspect/value", mcp.is_listed(one), f"{at}/entityUrn")
        for one, at in told
    ]
    return _answer(propose(asking, wishes, later=asking.body.get("async") in _LATER))


def _answer(outcome: Outcome) -> Answer:
    warnings = [{"pointer": one.pointer, "message": one.message} for one in outcome.warnings]
    told: dict[str, Any] = {"value": "success"} | ({"warnings": warnings} if warnings else {})
    return Answer(told, headers=outcome.headers)
