"""A check that is divided into slices finds and repairs what a check of the whole store does."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.maintenance import Maintenance
from jupyter_colophon.service.admin.check_slices import CheckPart
from jupyter_colophon.storage.integrity.counters_check import CountSums
from jupyter_colophon.storage.spi import Range
from support.catalog import record_run, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.stores import STORES
from support.urns import CELL, build_table_urn

TABLES = 120
PARTS: tuple[CheckPart, ...] = ("store", "log", "sources", "derived rows")


@pytest.fixture(params=["sqlite", "postgresql"])
def catalog(request: Any, tmp_path: Path) -> Iterator[Catalog]:
    with STORES[request.param](tmp_path) as choice:
        catalog = open_catalog_of_store(choice)
        for number in range(TABLES):
            write_metadata(catalog, build_table_urn(f"t{number}"), {"at": str(number)}, ["gold"])
        for number in range(20):
            record_run(catalog, CELL, f"r{number}", ("read", build_table_urn(f"t{number * 5}")), end=5_000)
        yield catalog
        catalog.close()


def damage(tx: Any) -> None:
    """Damage rows at the begin, in the middle and at the end of the keys."""
    for number in (0, 55, 119):
        urn = build_table_urn(f"t{number}")
        row = tx.get_table("aspects").read((urn, "technicalMetadata"))
        tx.get_table("aspects").upsert(row | {"value": row["value"].replace("gold", "bold")})
        tx.get_table("entity_names").delete(("sales", "dataset", f"t{number}", urn))
        tx.search.remove_document(urn)
    tx.get_table("runs").delete((CELL, "r3"))
    for row in list(tx.get_table("key_counts").scan(Range(), 1)):
        tx.get_table("key_counts").upsert(row | {"entities": 7})


def find_issues_by_slice(maintenance: Maintenance, count: int) -> set[tuple[str, str]]:
    checker = maintenance.create_slice_checker()
    checker.seal_logs()
    return {tuple(issue) for part in checker.list_slices(PARTS, count) for issue in checker.find_issues(part)}


def sum_counts_by_slice(maintenance: Maintenance, count: int) -> CountSums:
    checker, sums = maintenance.create_slice_checker(), CountSums()
    for part in checker.list_slices(["counts"], count):
        sums.add_sums(checker.compute_count_sums(part))
    return sums


def test_slices_find_what_whole_check_finds(catalog: Catalog) -> None:
    maintenance = create_maintenance(catalog)
    assert find_issues_by_slice(maintenance, 5) == set()
    assert sum_counts_by_slice(maintenance, 5).find_wrong_sums() == set()
    catalog.provider.tx_runner.run(damage)
    whole = set(list_integrity_issues(maintenance))
    counts = {tuple(issue) for issue in maintenance.create_integrity_checker().find_issues_of_counts()}
    assert len(whole - counts) > 8
    for count in (1, 5):
        assert find_issues_by_slice(maintenance, count) == whole - counts
        assert sum_counts_by_slice(maintenance, count).find_wrong_sums()


def test_slices_repair_derived_rows(catalog: Catalog) -> None:
    maintenance = create_maintenance(catalog)

    def lose(tx: Any) -> None:
        for table in ("metadata_values", "entity_names", "run_times"):
            tx.get_table(table).delete_range(Range())

    catalog.provider.tx_runner.run(lose)
    checker = maintenance.create_slice_checker()
    repaired = {
        tuple(issue) for part in checker.list_slices(["derived rows"], 5) for issue in checker.repair_slice(part)
    }
    assert len(repaired) >= 2 * TABLES
    assert list_integrity_issues(maintenance) == []


def test_tables_are_divided_evenly(catalog: Catalog) -> None:
    slices = create_maintenance(catalog).create_slice_checker().list_slices(["derived rows"], 4)
    ends = [part.end for part in slices if part.title == "entities"]
    assert ends[-1] is None
    urns = sorted([build_table_urn(f"t{number}") for number in range(TABLES)])
    below = [sum(urn <= end[0] for urn in urns) for end in ends[:-1]]
    assert all(TABLES // 8 <= after - before <= TABLES // 2 for before, after in pairwise([0, *below]))
