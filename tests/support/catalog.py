"""A catalog in a file of its own, and short ways to write to it."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import Catalog, open_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunStart
from jupyter_colophon.core.model.proposal import Condition, Proposal, Written
from jupyter_colophon.core.search.search import SearchAnswer, SearchQuestion
from jupyter_colophon.core.store import sqlite_file
from support.urns import ORDERS

ADA = Principal("ada")


def opened(path: Path, **identity: Any) -> Catalog:
    """The catalog in this file."""
    return open_catalog(sqlite_file(path), Identity(**identity))


def metadata(properties: Mapping[str, str] | None = None, tags: Iterable[str] = ()) -> dict[str, Any]:
    """A value of `businessMetadata` or `technicalMetadata`."""
    return {"properties": dict(properties or {}), "tags": list(tags)}


def say(
    catalog: Catalog,
    urn: str = ORDERS,
    properties: Mapping[str, str] | None = None,
    tags: Iterable[str] = (),
    *,
    aspect: str = "technicalMetadata",
    version: int | None = None,
    principal: Principal = ADA,
) -> Written:
    """Write one aspect."""
    proposal = Proposal(Urn.parse(urn), aspect, "upsert", metadata(properties, tags), Condition(version=version))
    return catalog.write_path.propose([proposal], principal)[0]


def numbered(catalog: Catalog, number: int) -> Written:
    """Write a version of ORDERS with a key of its own: whoever writes it a second time makes another version."""
    value = metadata({"number": f"n{number}", "by": str(os.getpid())})
    proposal = Proposal(Urn.parse(ORDERS), "technicalMetadata", "upsert", value)
    return catalog.write_path.propose([proposal], ADA, once=Once("ada", f"key-{number}", "f"))[0]


def forget(catalog: Catalog, urn: str = ORDERS, aspect: str | None = None) -> Written:
    """Take an entity or one of its aspects away."""
    return catalog.write_path.propose([Proposal(Urn.parse(urn), aspect, "delete")], ADA)[0]


def touch(
    catalog: Catalog,
    program: str,
    run_id: str,
    *accesses: tuple[str, str],
    start: int = 1_000,
    end: int | None = None,
    columns: Iterable[ColumnEdge] = (),
) -> str:
    """Record a run with (mode, data) pairs; returns the run's URN."""
    status = "running" if end is None else "succeeded"
    run = catalog.write_path.start_run(RunStart(Urn.parse(program), run_id, start, end, status), ADA).urn
    touched = [Access(Urn.parse(data), mode) for mode, data in accesses]  # type: ignore[arg-type]
    catalog.write_path.record_accesses(run, touched, list(columns), ADA)
    return run


def search(catalog: Catalog, text: str, limit: int = 50, cursor: str = "", **filters: str) -> SearchAnswer:
    """What a search finds."""
    return catalog.searcher.search(SearchQuestion(text, tuple(filters.items()), limit, cursor), ADA)


def names(answer: SearchAnswer) -> list[str]:
    """The names of the hits, best first."""
    return [hit.summary.name for hit in answer.hits]
