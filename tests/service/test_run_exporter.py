"""Export runs as events of OpenLineage, and send these to an empty catalog."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunChange, RunStart
from jupyter_colophon.core.openlineage.run_events import build_run_events
from referencing import Registry, Resource
from support.catalog import ADA, open_catalog_file, record_run
from support.openlineage import RECORDINGS, RUN, build_event, build_event_dataset
from support.urns import build_cell_urn, build_table_urn

SCHEMAS = {
    document["$id"]: document
    for document in (json.loads(path.read_text()) for path in sorted((RECORDINGS / "spec").iterdir()))
}
SPECIFICATION = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
RAW, ORDERS, SUMS, DAYS = (build_table_urn(name) for name in ("raw", "orders", "sums", "days"))
LOAD, SUM, LIVE, FAILED = (build_cell_urn(name) for name in ("load", "sum", "live", "failed"))
Event = dict[str, Any]


def export_runs(catalog: Catalog, runs: list[str]) -> list[Event]:
    reported = catalog.run_exporter.read_reported_runs(runs, ADA)
    return [event for run in reported for event in build_run_events(run)]


def import_events(catalog: Catalog, events: list[Event]) -> None:
    for event in events:
        catalog.collector.parse_and_store_event(json.dumps(event).encode(), ADA)


def list_lineage(catalog: Catalog, urn: str) -> tuple[set[tuple[str, str]], set[tuple[str, ...]]]:
    """Return the edges with the ids of programs in place of their URNs, and the edges between columns."""
    request = LineageRequest(Urn.parse(urn), levels=9, columns=True)
    lineage = catalog.lineage.read_lineage(request, ADA)
    names = {node.urn: Urn.parse(node.urn).parts[1] if node.type == "dataJob" else node.urn for node in lineage.nodes}
    columns = {
        (item.source, item.source_field, item.target, item.target_field, item.transformation)
        for item in lineage.columns
    }
    return {(names[edge.source], names[edge.target]) for edge in lineage.edges}, columns


def validate_events(events: list[Event]) -> None:
    """Validate the events and their facets against the schemas of the specification."""
    registry: Registry[Any] = Registry().with_resources(
        (id_, Resource.from_contents(schema)) for id_, schema in SCHEMAS.items()
    )

    def validate(document: Any, url: str) -> None:
        Draft202012Validator(
            {"$ref": url}, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
        ).validate(document)

    for event in events:
        validate(event, SPECIFICATION)
        validate(event, event["schemaURL"])
        facets = [event["run"]["facets"], *(data["facets"] for data in (*event["inputs"], *event["outputs"]))]
        for name, facet in (item for own in facets for item in own.items()):
            if facet["_producer"].startswith("urn:jupyter-colophon"):
                validate({name: facet}, facet["_schemaURL"].partition("#")[0])


@pytest.fixture
def runs(catalog: Catalog) -> list[str]:
    """A load of orders with a column, a sum that is running, and a run that failed."""
    columns = [
        ColumnEdge(Urn.parse(RAW), "price", Urn.parse(ORDERS), "price", "identity"),
        ColumnEdge(Urn.parse(RAW), "day", Urn.parse(ORDERS), "price", "filter"),
    ]
    first = record_run(catalog, LOAD, "1", ("read", RAW), ("write", ORDERS), start=1_000, end=2_500, columns=columns)
    second = record_run(catalog, LIVE, "1", ("read", ORDERS), ("unknown", SUMS), start=3_000)
    third = record_run(catalog, FAILED, "1", ("both", ORDERS), start=4_000)
    catalog.write_path.update_run(third, RunChange("failed", 5_000), ADA)
    return [first, second, third]


def test_events_are_valid_and_have_the_recorded_times(catalog: Catalog, runs: list[str]) -> None:
    events = export_runs(catalog, runs)
    validate_events(events)
    assert [(event["eventType"], event["eventTime"]) for event in events] == [
        ("START", "1970-01-01T00:00:01.000Z"),
        ("COMPLETE", "1970-01-01T00:00:02.500Z"),
        ("START", "1970-01-01T00:00:03.000Z"),
        ("START", "1970-01-01T00:00:04.000Z"),
        ("FAIL", "1970-01-01T00:00:05.000Z"),
    ]
    assert [event["run"]["runId"] for event in events[::4]] == [urn.rpartition(":")[2] for urn in (runs[0], runs[2])]


def test_events_lead_to_the_same_lineage_in_an_empty_catalog(catalog: Catalog, runs: list[str], tmp_path: Path) -> None:
    events = export_runs(catalog, [*runs, runs[0], "urn:li:dataProcessInstance:unknown"])
    assert len(events) == 5
    other = open_catalog_file(tmp_path / "other" / "catalog.db")
    import_events(other, events)
    edges, columns = list_lineage(catalog, ORDERS)
    assert len(edges) == 6
    assert len(columns) == 2
    # Data of an unknown access are an input and an output.
    live = next(target for source, target in edges if source == SUMS)
    assert list_lineage(other, ORDERS) == (edges | {(live, SUMS)}, columns)
    other.close()


def test_statements_of_a_run_are_runs_of_their_own(catalog: Catalog, tmp_path: Path) -> None:
    run = catalog.write_path.start_run(RunStart(Urn.parse(SUM), "1", 1_000, 2_000, "succeeded"), ADA).urn
    modes = (("read", RAW, 1), ("write", ORDERS, 1), ("read", SUMS, 2), ("write", DAYS, 2))
    accesses = [Access(Urn.parse(data), mode, statement=number) for mode, data, number in modes]  # type: ignore[arg-type]
    catalog.write_path.record_run_accesses(run, accesses, [], ADA)
    events = export_runs(catalog, [run])
    validate_events(events)
    assert len({event["run"]["runId"] for event in events}) == 3
    parents = [event["run"]["facets"].get("parent", {}).get("run") for event in events]
    assert parents == [None, None, *[{"runId": run.rpartition(":")[2]}] * 4]
    other = open_catalog_file(tmp_path / "other" / "catalog.db")
    import_events(other, events)
    # Nothing flows from one statement into the other.
    for source, target, unrelated in ((RAW, ORDERS, DAYS), (SUMS, DAYS, ORDERS)):
        request = LineageRequest(Urn.parse(source), "downstream")
        nodes = {node.urn for node in other.lineage.read_lineage(request, ADA).nodes}
        assert target in nodes
        assert unrelated not in nodes
    other.close()


def test_names_and_facets_of_received_events_are_kept(catalog: Catalog, tmp_path: Path) -> None:
    engine = {
        "name": "Spark",
        "version": "4",
        "_producer": "https://example.org",
        "_schemaURL": "https://example.org/e",
    }
    received = build_event(
        run_facets={"processing_engine": engine, "broken": {"x": 1}},
        inputs=[build_event_dataset("shop.public.raw")],
        outputs=[build_event_dataset("shop.public.orders")],
    )
    import_events(catalog, [received])
    (start, end) = export_runs(catalog, [f"urn:li:dataProcessInstance:{RUN}"])
    validate_events([start, end])
    assert end["job"] == received["job"]
    assert end["run"] == {"runId": RUN, "facets": {"processing_engine": engine}}
    assert end["inputs"] == received["inputs"]
    other = open_catalog_file(tmp_path / "other" / "catalog.db")
    import_events(other, [start, end])
    urn = "urn:li:dataset:(urn:li:dataPlatform:postgres,db:5432/shop.public.raw,PROD)"
    both = [
        {node.urn for node in one.lineage.read_lineage(LineageRequest(Urn.parse(urn)), ADA).nodes}
        for one in (catalog, other)
    ]
    assert both[0] == both[1]
    assert len(both[0]) == 3
    other.close()
