"""Declared lineage is derived from the history of its aspects (spec LINEAGE-7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageEdge, LineageRequest, TimeWindow
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.maintenance import open_store_for_maintenance
from jupyter_colophon.storage.spi import TableContext
from support.catalog import ADA, delete_entity_or_aspect, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.stores import STORES
from support.urns import build_table_urn

A, B, C, D = (build_table_urn(name) for name in "abcd")


@pytest.fixture(params=list(STORES))
def choice(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StorageChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def catalog(choice: StorageChoice) -> Iterator[Catalog]:
    """Declare c as derived from a, then from a and b, then from nothing, then from b; another user declares d as derived from a."""
    opened = open_catalog_of_store(choice)
    for urn in (A, B, C, D):
        write_metadata(opened, urn)
    for upstreams in ((A,), (A, B), (), (B,)):
        state(opened, C, *upstreams)
    state(opened, D, A, who="bob")
    yield opened
    opened.close()


def state(catalog: Catalog, made: str, *of: str, who: str = "ada") -> None:
    value = {"upstreams": [{"dataset": one} for one in of]}
    catalog.write_path.apply_proposals_atomically(
        [Proposal(Urn.parse(made), declared_lineage.ASPECT, "upsert", value)], Principal(who)
    )


def edges(catalog: Catalog, urn: str, direction: str = "upstream") -> dict[str, LineageEdge]:
    """Return edges by their source, or by their target."""
    question = LineageRequest(Urn.parse(urn), direction, 1, TimeWindow(0, 2**50))  # type: ignore[arg-type]
    found = catalog.lineage.read_lineage(question, ADA).edges
    return {end: edge for edge in found for end in (edge.source, edge.target) if "dataset" in end and end != urn}


def all_links(tx: TableContext) -> set[object]:
    return {link for run in tx.edges.list_runs_after("", 100) for link in tx.edges.list_links_of_run(run)}


def test_each_source_has_separate_edges_with_validity_times(catalog: Catalog) -> None:
    above = edges(catalog, C)
    assert {urn: edge.end is None for urn, edge in above.items()} == {A: False, B: True}
    assert {edge.reported_by for edge in above.values()} == {"ada"}
    assert {edge.reported_by for edge in edges(catalog, D).values()} == {"bob"}
    # Ada's declarations of c do not affect Bob's declarations of d.
    assert set(edges(catalog, B, "downstream")) == {C}
    assert set(edges(catalog, A, "downstream")) == {C, D}


def test_deleting_data_ends_its_declared_lineage(catalog: Catalog) -> None:
    delete_entity_or_aspect(catalog, D)
    assert edges(catalog, D)[A].end is not None
    delete_entity_or_aspect(catalog, C, declared_lineage.ASPECT)
    assert edges(catalog, C)[B].end is not None


def test_reindex_rebuilds_declared_lineage_and_removes_extra_rows(catalog: Catalog) -> None:
    runner = catalog.provider.tx_runner
    before = runner.run(all_links, read_only=True)
    assert list_integrity_issues(create_maintenance(catalog)) == []

    def damage(tx: TableContext) -> None:
        tx.edges.delete_run_links(tx.edges.list_runs_after("", 100)[0])
        tx.edges.record_access(A, "urn:li:dataJob:x", "read", declared_lineage.format_version_mark(A, 7), "", 1, None)

    runner.run(damage)
    assert len(list_integrity_issues(create_maintenance(catalog))) == 2
    assert create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows() == 2
    assert runner.run(all_links, read_only=True) == before
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_backup_restores_declared_lineage(catalog: Catalog, tmp_path: Path) -> None:
    before = catalog.provider.tx_runner.run(all_links, read_only=True)
    create_maintenance(catalog).create_backup_service("1.0").write_backup_file(tmp_path / "backup")
    choice = choose_sqlite_store(tmp_path / "restored.db")
    healer = open_store_for_maintenance(choice, lambda what, steps: None, new=True)
    healer.create_backup_service("1.0").restore_into_empty_store(tmp_path / "backup")
    assert list_integrity_issues(healer) == []
    healer.close()
    restored = open_catalog_of_store(choice)
    assert restored.provider.tx_runner.run(all_links, read_only=True) == before
    restored.close()
