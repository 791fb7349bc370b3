"""Spark jobs over the whole catalog, with tasks that open the store, and their command."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.spark.jobs.statistics import compute_activity, compute_statistics
from jupyter_colophon.store_jobs.integrity import rebuild_derived_rows_of_store, verify_store
from jupyter_colophon.store_jobs.source import StoreReader, register_store_source
from jupyter_colophon.store_jobs.store_address import StoreAddress
from live import LiveServer
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from support import servers
from support.catalog import ADA, delete_entity_or_aspect, open_catalog_file, record_run, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import CELL, build_table_urn

catalog, server = servers.catalog, servers.server
TABLES = 30


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Catalog]:
    opened = open_catalog_file(tmp_path / "catalog.db")
    for number in range(TABLES):
        write_metadata(opened, build_table_urn(f"t{number:02}"), {"at": str(number)}, ["gold"] if number % 3 else [])
    record_run(opened, CELL, "r1", ("read", build_table_urn("t01")), ("write", build_table_urn("t02")), end=5_000)
    delete_entity_or_aspect(opened, build_table_urn("t00"))
    yield opened
    opened.close()


@pytest.fixture
def address(tmp_path: Path) -> StoreAddress:
    return StoreAddress.from_choice(choose_sqlite_store(tmp_path / "catalog.db"), None)


def lose_rows(tx: Any) -> None:
    for number in (3, 17, 29):
        urn = build_table_urn(f"t{number:02}")
        tx.search.remove_document(urn)
        tx.get_table("entity_names").delete(("sales", "dataset", f"t{number:02}", urn))
    tx.get_table("value_counts").upsert({"namespace": "sales", "key": "at", "value": "7", "shown": "7", "entities": 9})


def collect(frames: dict[str, DataFrame]) -> dict[str, list[dict[str, Any]]]:
    return {name: [row.asDict() for row in frame.collect()] for name, frame in frames.items()}


def test_verify_and_reindex_find_and_repair_what_the_store_lost(
    spark: SparkSession, local: Catalog, address: StoreAddress
) -> None:
    shown: list[str] = []
    assert verify_store(spark, address, 3, 100, shown.append) == []
    assert shown[0] == "verify"
    local.provider.tx_runner.run(lose_rows)
    found = verify_store(spark, address, 3, 100, shown.append)
    assert set(map(tuple, found)) == set(list_integrity_issues(create_maintenance(local)))
    assert len(found) == 7
    assert len(verify_store(spark, address, 3, 2, shown.append)) == 2
    assert rebuild_derived_rows_of_store(spark, address, 3, shown.append) == len(found)
    assert list_integrity_issues(create_maintenance(local)) == []


def test_statistics_and_activity_of_store(spark: SparkSession, local: Catalog, address: StoreAddress) -> None:
    read = register_store_source(spark, address, 3)
    found = collect(compute_statistics(read))
    kind = {"namespace": "sales", "type": "dataset"}
    assert {**kind, "platform": "spark", "count": TABLES - 1} in found["types"]
    assert {**kind, "tag": "gold", "count": 20} in found["tags"]
    counts = [row["count"] for row in found["keys"]]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) > 1
    complete = next(row for row in found["completeness"] if row["type"] == "dataset")
    assert (complete["entities"], complete["tagged"], complete["owned"]) == (TABLES - 1, 20, 0)
    size = next(row for row in found["sizes"] if row["aspect"] == "technicalMetadata" and row["type"] == "dataset")
    assert size["count"] == TABLES - 1
    assert size["bytes"] > 20 * TABLES
    changes = collect(compute_activity(read))["changes"]
    head = local.feed.read_newest_change_number()
    assert sum(row["count"] for row in changes) == head


def test_store_reads_selected_columns_and_rows(spark: SparkSession, local: Catalog, address: StoreAddress) -> None:
    read = register_store_source(spark, address, 4)
    frame = read("aspects", "urn STRING, value STRING, aspect STRING").where("aspect = 'technicalMetadata'")
    frame = frame.where("urn LIKE 'urn:li:dataset:%'")
    rows = frame.collect()
    assert {row.urn for row in rows} == {build_table_urn(f"t{number:02}") for number in range(1, TABLES)}
    assert all(list(row.asDict()) == ["urn", "value", "aspect"] for row in rows)
    assert json.loads(rows[0].value)["properties"]
    with pytest.raises(PySparkException, match="unknown column 'size'"):
        read("aspects", "size BIGINT").collect()


def test_store_has_the_aspects_of_an_export(local: Catalog, address: StoreAddress) -> None:
    write_metadata(local, build_table_urn("t03"), {}, aspect="businessMetadata")
    exported = [json.loads(line) for line in local.transfer.export_namespace_lines("sales", ADA)][1:]
    reader = StoreReader(address, "aspects", ("urn", "namespace", "aspect"), 2)
    rows = [row for part in reader.partitions() for batch in reader.read(part) for row in batch.to_pylist()]
    found = sorted((row["urn"], row["aspect"]) for row in rows if row["namespace"] == "sales")
    assert found == sorted((line["urn"], line["aspect"]) for line in exported)
    assert len({aspect for _, aspect in found}) > 2


def test_missing_store_is_reported_by_task(spark: SparkSession, tmp_path: Path) -> None:
    nowhere = StoreAddress.from_choice(choose_sqlite_store(tmp_path / "none.db"), None)
    with pytest.raises(PySparkException, match="there is no catalog at"):
        register_store_source(spark, nowhere, 2)("entities", "urn STRING").collect()
    assert not (tmp_path / "none.db").exists()


def test_export_is_imported_once(
    spark: SparkSession,
    local: Catalog,
    address: StoreAddress,
    server: LiveServer,
    catalog: Operations,
    tmp_path: Path,
) -> None:
    read = register_store_source(spark, address, 2)
    schema = "urn STRING, type STRING, namespace STRING, aspect STRING, value STRING"
    chosen = read("aspects", schema).where("aspect = 'technicalMetadata' AND type = 'dataset'")
    chosen.write.parquet(str(tmp_path / "export"))
    environment = {**os.environ, "COLOPHON_TOKEN": server.token, "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    command = [sys.executable, "-m", "jupyter_colophon.cli", "jobs", "import", str(tmp_path / "export")]
    options = [f"--url={server.url}", "--job-id=once", "--master=local[1]", "--json"]
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    expected = {"load": "once", "written": TABLES - 1, "unchanged": 0, "rejected": 0}
    assert json.loads(done.stdout.splitlines()[-1]) == expected
    read_back = catalog.read_entity(build_table_urn("t05"))["aspects"]["technicalMetadata"]["value"]
    assert read_back["properties"] == {"at": "5"}
