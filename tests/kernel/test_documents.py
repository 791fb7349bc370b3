"""Reports of a kernel, validated by the schemas of the API."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from jupyter_colophon.capture.observation import (
    ColumnFlow,
    DataRef,
    DatasetKind,
    Observation,
    SchemaField,
    Transformation,
)
from jupyter_colophon.capture.report_documents import build_access_documents, build_written_data_proposals
from jupyter_colophon.kernel.cells import Cell, CellExecution
from jupyter_colophon.kernel.documents import build_cell_facts, build_run_end, build_run_start, format_time

SCHEMAS = Path(__file__).parents[2] / "schemas"


def urn(name):
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,db.{name},PROD)"


def table(name, **more):
    return DataRef(urn(name), DatasetKind.TABLE, **more)


def check(name, document):
    registry = jsonschema_rs.Registry(
        [
            (schema["$id"], schema)
            for path in (SCHEMAS / "api").glob("*.json")
            if (schema := json.loads(path.read_text()))
        ]
    )
    schema = json.loads((SCHEMAS / "api" / f"{name}.json").read_text())
    jsonschema_rs.validator_for(schema, registry=registry).validate(document)


def test_a_moment_is_utc_with_milliseconds():
    assert format_time(1_763_640_000_007) == "2025-11-20T12:00:00.007Z"


def test_run_of_a_cell_records_id_hash_and_first_comment():
    execution = CellExecution(Cell("load", "x" * 30_000 + "\ud800", 4), 1_000)
    facts = build_cell_facts(execution, "a/b.ipynb", "kernel-1", with_source=True)
    check("run-start", build_run_start(urn("x"), execution.run_id, execution.start_ms, None, facts, {"year": "2013"}))
    assert (facts["cellId"], facts["executionCount"], len(facts["source"])) == ("load", 4, 20_000)
    assert "source" not in build_cell_facts(execution, "a/b.ipynb", "kernel-1")


@pytest.mark.parametrize(
    ("source", "comment"),
    [
        ("import x\n\n# Load the orders\nload()\n# Then more", "Load the orders"),
        ("#!/bin/sh\n#\n## Title ##", "Title ##"),
        ("%%sql\n-- Totals by day\nSELECT 1", "Totals by day"),
        ("x = '''\n# no comment\n'''", None),
        ("load()", None),
        ("# password: hunter2", "password: ***"),
        ("# " + "x" * 500, "x" * 200),
    ],
)
def test_the_first_comment_of_a_cell_is_its_title(source, comment):
    assert build_cell_facts(CellExecution(Cell("a", source, 1), 1), "a.ipynb", "k").get("comment") == comment


@pytest.mark.parametrize("status", ["succeeded", "failed", "killed"])
def test_ending_has_the_status(status):
    ending = build_run_end(2_000, status)
    check("run-change", ending)
    assert ending["status"] == status


def test_repeated_accesses_are_reported_once_with_first_time():
    edge = ColumnFlow(urn("a"), "x", urn("b"), "y", Transformation.IDENTITY)
    seen = [
        Observation(start, start, "insert", reads=(table("a"),), writes=(table("b"),), columns=(edge,))
        for start in (5, 9)
    ]
    (document,) = build_access_documents(seen)
    check("accesses", document)
    assert [(row["data"], row["mode"], row["time"]) for row in document["accesses"]] == [
        (urn("a"), "read", format_time(5)),
        (urn("b"), "write", format_time(5)),
    ]
    assert len(document["columns"]) == 1


def test_data_that_a_cell_reads_and_writes_has_both_accesses():
    seen = [Observation(1, 1, "insert", reads=(table("a"),), writes=(table("a"),))]
    assert [row["mode"] for document in build_access_documents(seen) for row in document["accesses"]] == [
        "read",
        "write",
    ]


def test_versions_of_a_table_are_accesses_of_the_same_statement():
    seen = [
        Observation(1, 1, "insert", reads=(table("a", versions=("1", "2")),), writes=(table("b", versions=(version,)),))
        for version in ("7", "8")
    ]
    (document,) = build_access_documents(seen)
    check("accesses", document)
    assert [(row["data"], row["tableVersion"], row["statement"]) for row in document["accesses"]] == [
        (urn("a"), "1", 0),
        (urn("a"), "2", 0),
        (urn("b"), "7", 0),
        (urn("b"), "8", 0),
    ]
    many = tuple(table(str(n), versions=tuple(map(str, range(30)))) for n in range(100))
    (document,) = build_access_documents([Observation(1, 1, "collect", reads=many)])
    check("accesses", document)
    assert [row["tableVersion"] for row in document["accesses"]] == ["29"] * 100


def test_no_accesses_produce_no_report():
    assert list(build_access_documents([Observation(1, 1, "count")])) == []


@pytest.mark.parametrize(("data", "columns", "calls"), [(2_500, 0, 3), (1, 25_000, 3), (1_500, 15_000, 2)])
def test_many_accesses_are_split_into_allowed_requests(data, columns, calls):
    edges = tuple(ColumnFlow(urn("a"), str(n), urn("b"), str(n), Transformation.IDENTITY) for n in range(columns))
    seen = [Observation(1, 1, "insert", reads=tuple(table(str(n)) for n in range(data)), columns=edges)]
    documents = list(build_access_documents(seen))
    for document in documents:
        check("accesses", document)
    assert len(documents) == calls
    assert len({row["data"] for document in documents for row in document["accesses"]}) == data
    assert sum(len(document["columns"]) for document in documents) == columns


def test_written_data_is_described_by_its_schema_and_technical_facts():
    ref = table("a", fields=(SchemaField("x", "bigint", True),), format="parquet", location="file:/w/a")
    schema, technical = build_written_data_proposals(ref, "urn:li:dataProcessInstance:r")
    check("proposal", schema)
    check("proposal", technical)
    assert schema["value"]["fields"] == [{"fieldPath": "x", "nativeDataType": "bigint", "nullable": True}]
    assert technical["value"] == {
        "properties": {"type": "table", "format": "parquet", "location": "file:/w/a", "dropped": None}
    }


def test_unknown_properties_are_omitted():
    (technical,) = build_written_data_proposals(
        table("a", location="file:/" + "x" * 20_000), "urn:li:dataProcessInstance:r"
    )
    assert technical["value"] == {"properties": {"type": "table", "dropped": None}}


@pytest.mark.parametrize(
    ("location", "reported"),
    [
        ("s3a://key:hunter2@bucket/a", {"location": "s3a://bucket/a"}),
        ("abfss://box@account/a?sig=hunter2", {"location": "abfss://box@account/a"}),
        ("s3a://key:hunter2/x@bucket/a", {}),
    ],
)
def test_location_is_reported_without_credentials(location, reported):
    (technical,) = build_written_data_proposals(table("a", location=location), "urn:li:dataProcessInstance:r")
    assert technical["value"] == {"properties": {"type": "table", "dropped": None} | reported}
