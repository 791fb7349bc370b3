"""Derived rows can be rebuilt from their sources (spec MODEL-13)."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.maintenance import Maintenance
from jupyter_colophon.storage.spi import Document, Range
from support.catalog import ADA, delete_entity_or_aspect, open_catalog_file, record_run, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.histories import HISTORIES, apply_steps, read_derived_rows
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT, build_table_urn


@pytest.fixture(params=list(STORES))
def choice(request: Any, tmp_path: Path) -> Iterator[StorageChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def sales(choice: StorageChoice) -> Iterator[Catalog]:
    catalog = open_catalog_of_store(choice)
    write_metadata(catalog, ORDERS, {"owner": "ops", "Note": "x y"}, ["faa", "fresh"])
    write_metadata(catalog, REPORT, {"owner": "ops"}, ["faa"])
    # A text that the model marks as searchable.
    marked = Proposal(Urn.parse(REPORT), "subTypes", "upsert", {"typeNames": ["Okapi View"]})
    catalog.write_path.apply_proposals_atomically([marked], ADA)
    record_run(catalog, CELL, "r1", ("read", ORDERS), ("write", REPORT), end=5_000)
    record_run(catalog, CELL, "r2", ("read", ORDERS))
    yield catalog
    catalog.close()


@settings(max_examples=25, deadline=None)
@given(HISTORIES)
def test_any_history_leaves_no_differences(steps: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        catalog = open_catalog_file(Path(folder) / "catalog.db")
        apply_steps(catalog, steps)
        before = read_derived_rows(catalog)
        assert list_integrity_issues(create_maintenance(catalog)) == []
        assert create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows() == 0
        assert read_derived_rows(catalog) == before
        catalog.close()


def _everything_lost(tx: Any) -> None:
    for name in ("entity_names", "metadata_values", "value_history", "key_counts", "value_counts", "run_times"):
        tx.get_table(name).delete_range(Range())
    for document in tx.search.read_documents_after("", 100):
        tx.search.remove_document(document.urn)
    for run in tx.edges.list_runs_after("", 100):
        tx.edges.delete_run_links(run)


def _too_much(tx: Any) -> None:
    value = {"namespace": "sales", "key": "owner", "value": "nobody", "urn": ORDERS, "scope": "SYSTEM"}
    tx.get_table("metadata_values").upsert(value | {"kind": "property", "shown": "nobody"})
    tx.get_table("metadata_values").upsert(
        value | {"urn": build_table_urn("ghost"), "kind": "property", "shown": "nobody"}
    )
    tx.get_table("entity_names").upsert(
        {"namespace": "sales", "type": "dataset", "name": "ghost", "urn": build_table_urn("ghost")}
    )
    count = {"namespace": "sales", "folded": "ghost", "key": "ghost", "kind": "tag", "scope": "SYSTEM"}
    tx.get_table("key_counts").upsert(count | {"entity_kind": "dataset", "entities": 3})
    tx.get_table("run_times").upsert({"program": "", "start": 1, "urn": "urn:li:dataProcessInstance:ghost"})
    tx.search.put_documents(
        Document(build_table_urn("ghost"), "sales", "dataset", frozenset(), frozenset({"ghost"}), frozenset({"x"}))
    )
    tx.edges.record_access(ORDERS, CELL, "write", "urn:li:dataProcessInstance:ghost", "", 1, None)


def _wrong(tx: Any) -> None:
    for row in list(tx.get_table("metadata_values").scan(Range())):
        tx.get_table("metadata_values").upsert(row | {"shown": "other"})
    for row in list(tx.get_table("value_counts").scan(Range())):
        tx.get_table("value_counts").upsert(row | {"entities": row["entities"] + 1})
    for row in list(tx.get_table("key_counts").scan(Range(), 1)):
        tx.get_table("key_counts").upsert(row | {"entities": 0})
    one = tx.search.read_documents_after("", 1)[0]
    tx.search.put_documents(
        Document(one.urn, one.namespace, one.type, frozenset({("tag", "odd")}), one.words | {"odd"}, one.terms)
    )
    run = tx.edges.list_runs_after("", 1)[0]
    tx.edges.set_run_stop(run, 77)
    tx.edges.record_access(REPORT, CELL, "read", run, "odd", 1_000, None)


@pytest.mark.parametrize("damage", [_everything_lost, _too_much, _wrong], ids=["lost", "too much", "wrong"])
def test_damage_is_reported_and_repaired(sales: Catalog, damage: Any) -> None:
    before, healer = read_derived_rows(sales), create_maintenance(sales)
    assert list_integrity_issues(healer) == []
    sales.provider.tx_runner.run(damage)
    assert read_derived_rows(sales) != before
    assert list_integrity_issues(healer)
    assert healer.create_integrity_checker().rebuild_derived_rows() > 0
    assert read_derived_rows(sales) == before
    assert list_integrity_issues(healer) == []


def test_reindex_keeps_concurrent_writes(sales: Catalog) -> None:
    """Other clients write, delete and run between two steps, and while counts are computed."""
    sales.provider.tx_runner.run(_everything_lost)
    seen: Counter[str] = Counter()

    def write(name: str) -> None:
        write_metadata(sales, build_table_urn(name), {"owner": "ops"}, ["faa"])
        write_metadata(sales, ORDERS, {"owner": name}, ["faa"])
        record_run(sales, CELL, name, ("read", ORDERS), end=6_000)
        delete_entity_or_aspect(sales, build_table_urn(name), "technicalMetadata")

    with ThreadPoolExecutor(1) as other:

        def meanwhile(what: str, _: int) -> None:
            seen[what] += 1
            if seen[what] <= 2:
                other.submit(write, f"{what}{seen[what]}".replace(" ", "")).result()

        Maintenance(sales.provider, sales.registry, meanwhile).create_integrity_checker().rebuild_derived_rows()
    assert len(seen) > 5
    assert list_integrity_issues(create_maintenance(sales)) == []
    assert create_maintenance(sales).create_integrity_checker().rebuild_derived_rows() == 0
