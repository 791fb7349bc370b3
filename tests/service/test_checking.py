"""Damage is detected, and reported without any value."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.spi import Range
from support.catalog import delete_entity_or_aspect, record_run, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues, open_catalog_of_store
from support.stores import STORES
from support.urns import CELL, ORDERS, REPORT, build_table_urn

SECRET = "a secret that nobody may see"
ASPECT = "technicalMetadata"


@pytest.fixture(params=list(STORES))
def choice(request: Any, tmp_path: Path) -> Iterator[StorageChoice]:
    with STORES[request.param](tmp_path) as made:
        yield made


@pytest.fixture
def catalog(choice: StorageChoice) -> Iterator[Catalog]:
    catalog = open_catalog_of_store(choice)
    write_metadata(catalog, ORDERS, {"owner": "ops"})
    write_metadata(catalog, ORDERS, {"owner": SECRET}, ["faa"])
    write_metadata(catalog, REPORT, {"owner": "ops"})
    delete_entity_or_aspect(catalog, REPORT)
    record_run(catalog, CELL, "r1", ("read", ORDERS), end=5_000)
    yield catalog
    catalog.close()


def _present_value(tx: Any) -> None:
    row = tx.get_table("aspects").read((ORDERS, ASPECT))
    tx.get_table("aspects").upsert(row | {"value": row["value"].replace(SECRET, SECRET.upper())})


def _old_value(tx: Any) -> None:
    row = tx.get_table("aspect_versions").read((ORDERS, ASPECT, 1))
    tx.get_table("aspect_versions").upsert(row | {"value": row["value"].replace("ops", "opt")})


def _no_json(tx: Any) -> None:
    for name, key in (("aspects", (ORDERS, ASPECT)), ("aspect_versions", (ORDERS, ASPECT, 2))):
        row = tx.get_table(name).read(key)
        tx.get_table(name).upsert(row | {"value": row["value"][:-1]})


def _no_instance(tx: Any) -> None:
    for name, key in (("aspects", (ORDERS, ASPECT)), ("aspect_versions", (ORDERS, ASPECT, 2))):
        row = tx.get_table(name).read(key)
        tx.get_table(name).upsert(row | {"value": '{"tags": "none"}'})


def _missing_version(tx: Any) -> None:
    tx.get_table("aspect_versions").delete((ORDERS, ASPECT, 1))


def _missing_newest_version(tx: Any) -> None:
    tx.get_table("aspect_versions").delete((ORDERS, ASPECT, 2))


def _risen(tx: Any) -> None:
    row = tx.get_table("aspects").read((REPORT, ASPECT))
    tx.get_table("aspects").upsert(row | {"value": '{"properties":{},"tags":[]}'})


def _no_entity(tx: Any) -> None:
    tx.get_table("entities").delete((ORDERS,))


def _another_type(tx: Any) -> None:
    tx.get_table("entities").upsert({"urn": ORDERS, "type": "dataJob"})


def _another_key(tx: Any) -> None:
    row = tx.get_table("aspects").read((ORDERS, "datasetKey"))
    tx.get_table("aspects").upsert(row | {"value": row["value"].replace("orders", "others")})


def _no_run(tx: Any) -> None:
    for row in list(tx.get_table("runs").scan(Range())):
        tx.get_table("runs").delete((row["program"], row["run_id"]))


def _odd_run(tx: Any) -> None:
    row = next(iter(tx.get_table("runs").scan(Range(), 1)))
    tx.get_table("runs").upsert(row | {"status": "asleep"})


def _stray_access(tx: Any) -> None:
    row = next(iter(tx.get_table("accesses").scan(Range(), 1)))
    tx.get_table("accesses").upsert(row | {"data": build_table_urn("nowhere")})


@pytest.mark.parametrize(
    "damage",
    [
        _present_value,
        _old_value,
        _no_json,
        _no_instance,
        _missing_version,
        _missing_newest_version,
        _risen,
        _no_entity,
        _another_type,
        _another_key,
        _no_run,
        _odd_run,
        _stray_access,
    ],
    ids=lambda damage: damage.__name__.strip("_"),
)
def test_damaged_source_data_is_found(catalog: Catalog, damage: Any) -> None:
    assert list_integrity_issues(create_maintenance(catalog)) == []
    catalog.provider.tx_runner.run(damage)
    found = list_integrity_issues(create_maintenance(catalog))
    assert found
    assert all(subject and fault for subject, fault in found)
    assert SECRET.lower() not in str(found).lower()


def test_reindex_does_not_change_damaged_source_data(catalog: Catalog) -> None:
    catalog.provider.tx_runner.run(_no_json)
    before = list_integrity_issues(create_maintenance(catalog))
    create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows()
    assert {subject for subject, _ in before} >= {ORDERS}
    assert [one for one in list_integrity_issues(create_maintenance(catalog)) if one[0] == ORDERS]
