"""A catalog in its own file, and short functions that write to it."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunStart
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult, WriteCondition
from jupyter_colophon.core.search.search import SearchRequest, SearchResult
from jupyter_colophon.core.store import choose_sqlite_store
from support.urns import ORDERS

ADA = Principal("ada")


def open_catalog_file(path: Path, **identity: Any) -> Catalog:
    """Open the catalog in this file."""
    return open_or_create_catalog(choose_sqlite_store(path), IdentityRules(**identity))


def build_metadata_value(properties: Mapping[str, str] | None = None, tags: Iterable[str] = ()) -> dict[str, Any]:
    """Build a value of `businessMetadata` or `technicalMetadata`."""
    return {"properties": dict(properties or {}), "tags": list(tags)}


def write_metadata(
    catalog: Catalog,
    urn: str = ORDERS,
    properties: Mapping[str, str] | None = None,
    tags: Iterable[str] = (),
    *,
    aspect: str = "technicalMetadata",
    version: int | None = None,
    principal: Principal = ADA,
) -> ProposalResult:
    """Write one aspect."""
    proposal = Proposal(
        Urn.parse(urn), aspect, "upsert", build_metadata_value(properties, tags), WriteCondition(version=version)
    )
    return catalog.write_path.apply_proposals_atomically([proposal], principal)[0]


def write_numbered_version(catalog: Catalog, number: int) -> ProposalResult:
    """Write a version of ORDERS with its own idempotency key; writing it in another process makes another version."""
    value = build_metadata_value({"number": f"n{number}", "by": str(os.getpid())})
    proposal = Proposal(Urn.parse(ORDERS), "technicalMetadata", "upsert", value)
    return catalog.write_path.apply_proposals_atomically(
        [proposal], ADA, idempotency_key=IdempotencyKey("ada", f"key-{number}", "f")
    )[0]


def delete_entity_or_aspect(catalog: Catalog, urn: str = ORDERS, aspect: str | None = None) -> ProposalResult:
    """Delete an entity or one of its aspects."""
    return catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), aspect, "delete")], ADA)[0]


def record_run(
    catalog: Catalog,
    program: str,
    run_id: str,
    *accesses: tuple[str, str],
    start: int = 1_000,
    end: int | None = None,
    columns: Iterable[ColumnEdge] = (),
) -> str:
    """Record a run with (mode, data) pairs; return the run's URN."""
    status = "running" if end is None else "succeeded"
    run = catalog.write_path.start_run(RunStart(Urn.parse(program), run_id, start, end, status), ADA).urn
    touched = [Access(Urn.parse(data), mode) for mode, data in accesses]  # type: ignore[arg-type]
    catalog.write_path.record_run_accesses(run, touched, list(columns), ADA)
    return run


def search_catalog(catalog: Catalog, text: str, limit: int = 50, cursor: str = "", **filters: str) -> SearchResult:
    """Search the catalog."""
    return catalog.searcher.search_page_of_hits(SearchRequest(text, tuple(filters.items()), limit, cursor), ADA)


def list_hit_names(answer: SearchResult) -> list[str]:
    """Return the names of the hits, best first."""
    return [hit.summary.name for hit in answer.hits]
