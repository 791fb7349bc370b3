"""Renaming a dataset keeps the entity and its history (decision 22)."""

from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import NotFound, RenameConflict
from jupyter_colophon.core.identity.names import Urn, make_custom_urn, make_field_urn
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, delete_entity_or_aspect, list_hit_names, record_run, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import CELL, ORDERS, REPORT, build_cell_urn, build_table_urn

RENAMED = build_table_urn("orders_2026")
COLUMN = str(make_field_urn(Urn.parse(ORDERS), "id"))
PARTITION = str(make_custom_urn("partition", [("namespace", "sales"), ("dataset", "orders"), ("partition", "mon")]))
PROFILE = {"timestampMillis": 5_000, "rowCount": 7}


def propose(catalog: Catalog, urn: str, aspect: str, value: Any) -> None:
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), aspect, "upsert", value)], ADA)


def rename(catalog: Catalog, old: str = ORDERS, new: str = RENAMED) -> None:
    catalog.write_path.rename_dataset(Urn.parse(old), Urn.parse(new), ADA)


def versions(catalog: Catalog, urn: str, aspect: str = "businessMetadata") -> list[Any]:
    found, _ = catalog.reader.list_aspect_versions(Urn.parse(urn), aspect, 50, "", ADA)
    return [(one.version, one.value["tags"]) for one in found]


def neighbours(catalog: Catalog, urn: str) -> set[str]:
    graph = catalog.lineage.read_lineage(LineageRequest(Urn.parse(urn), levels=2), ADA)
    return {end for edge in graph.edges for end in (edge.source, edge.target)}


@pytest.fixture
def sales(catalog: Catalog) -> Iterator[Catalog]:
    write_metadata(catalog, ORDERS, {"format": "parquet", "location": "file:/w/orders"})
    write_metadata(catalog, ORDERS, {"owner": "ops"}, ["raw"], aspect="businessMetadata")
    write_metadata(catalog, ORDERS, {"owner": "ops"}, ["gold"], aspect="businessMetadata")
    write_metadata(catalog, COLUMN, tags=["confidential"], aspect="businessMetadata")
    write_metadata(catalog, PARTITION, tags=["late"], aspect="businessMetadata")
    propose(catalog, ORDERS, "datasetProfile", PROFILE)
    upstream = {"upstreams": [{"dataset": ORDERS, "type": "TRANSFORMED"}]}
    propose(catalog, build_table_urn("declared"), "upstreamLineage", upstream)
    propose(
        catalog, ORDERS, "upstreamLineage", {"upstreams": [{"dataset": build_table_urn("raw"), "type": "TRANSFORMED"}]}
    )
    edge = ColumnEdge(Urn.parse(ORDERS), "id", Urn.parse(REPORT), "id", "identity")
    record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000, columns=[edge])
    record_run(catalog, build_cell_urn("b2"), "r2", ("write", ORDERS), end=6_000)
    return catalog


def test_new_name_has_all_metadata_of_the_old_one(sales: Catalog) -> None:
    before = sales.reader.read_entity(Urn.parse(ORDERS), None, ADA)
    rename(sales)
    after = sales.reader.read_entity(Urn.parse(RENAMED), None, ADA)
    assert after.summary.created == before.summary.created
    kept = before.aspects.keys() - {"datasetKey"}
    assert {name: after.aspects[name] for name in kept} == {name: before.aspects[name] for name in kept}
    assert after.aspects["datasetKey"].value["name"] == "sales.orders_2026"
    assert versions(sales, RENAMED) == [(2, ["gold"]), (1, ["raw"])]
    column = sales.reader.read_current_aspect(make_field_urn(Urn.parse(RENAMED), "id"), "businessMetadata", ADA)
    assert column.value["tags"] == ["confidential"]
    partition = Urn.parse(PARTITION.replace("dataset=orders", "dataset=orders_2026"))
    assert sales.reader.read_current_aspect(partition, "businessMetadata", ADA).value["tags"] == ["late"]
    profiles = sales.datahub.timeseries.read_newest_values(Urn.parse(RENAMED), "datasetProfile", ADA, limit=5)
    assert [one.value["rowCount"] for one in profiles.values] == [7]
    assert (
        list_hit_names(search_catalog(sales, "owner:ops"))
        == list_hit_names(search_catalog(sales, "tags:gold"))
        == ["orders_2026"]
    )
    assert list_integrity_issues(create_maintenance(sales)) == []


def test_lineage_runs_and_references_follow_the_rename(sales: Catalog) -> None:
    before = neighbours(sales, ORDERS)
    rename(sales)
    assert neighbours(sales, RENAMED) - {RENAMED} >= {
        REPORT,
        CELL,
        build_cell_urn("b2"),
        build_table_urn("declared"),
        build_table_urn("raw"),
    }
    assert len(neighbours(sales, RENAMED)) == len(before)
    assert ORDERS not in neighbours(sales, REPORT) | neighbours(sales, build_table_urn("declared"))
    columns = sales.lineage.read_lineage(LineageRequest(Urn.parse(REPORT), columns=True), ADA).columns
    assert {one.source for one in columns} == {RENAMED}
    upstream = sales.reader.read_current_aspect(Urn.parse(build_table_urn("declared")), "upstreamLineage", ADA).value
    assert upstream["upstreams"][0]["dataset"] == RENAMED


def test_old_name_refers_to_new_one_until_recreated(sales: Catalog) -> None:
    rename(sales)
    rename(sales, RENAMED, build_table_urn("final"))
    for read in (
        lambda: sales.reader.read_entity(Urn.parse(ORDERS), None, ADA),
        lambda: sales.reader.read_current_aspect(Urn.parse(ORDERS), "businessMetadata", ADA),
        lambda: sales.reader.list_aspect_versions(Urn.parse(ORDERS), "businessMetadata", 5, "", ADA),
        lambda: sales.metadata.read_scoped_metadata(Urn.parse(ORDERS), "", ADA),
        lambda: sales.lineage.read_lineage(LineageRequest(Urn.parse(ORDERS)), ADA),
    ):
        with pytest.raises(NotFound) as refused:
            read()
        assert refused.value.renamed_to == build_table_urn("final")
    assert write_metadata(sales, ORDERS, tags=["new"], aspect="businessMetadata").version == 4
    assert versions(sales, ORDERS) == [(4, ["new"])]
    assert versions(sales, build_table_urn("final"))[0] == (2, ["gold"])
    assert list_integrity_issues(create_maintenance(sales)) == []


def test_rename_back_keeps_the_history(sales: Catalog) -> None:
    rename(sales)
    write_metadata(sales, RENAMED, tags=["late"], aspect="businessMetadata")
    rename(sales, RENAMED, ORDERS)
    assert [tags for _, tags in versions(sales, ORDERS)] == [["late"], ["gold"], ["raw"]]
    with pytest.raises(NotFound) as refused:
        sales.reader.read_entity(Urn.parse(RENAMED), None, ADA)
    assert refused.value.renamed_to == ORDERS
    assert neighbours(sales, ORDERS) >= {REPORT, CELL, build_table_urn("declared")}
    assert list_integrity_issues(create_maintenance(sales)) == []
    assert create_maintenance(sales).create_integrity_checker().rebuild_derived_rows() == 0


def test_name_in_use_is_refused_without_changes(sales: Catalog) -> None:
    write_metadata(sales, RENAMED, tags=["theirs"], aspect="businessMetadata")
    head = sales.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)
    with pytest.raises(RenameConflict):
        rename(sales)
    assert versions(sales, RENAMED) == [(1, ["theirs"])]
    assert sales.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True) == head


def test_deleted_name_can_be_reused_and_versions_continue(sales: Catalog) -> None:
    write_metadata(sales, RENAMED, tags=["former"], aspect="businessMetadata")
    delete_entity_or_aspect(sales, RENAMED)
    rename(sales)
    assert versions(sales, RENAMED) == [(4, ["gold"]), (3, ["raw"])]
    assert list_integrity_issues(create_maintenance(sales)) == []
