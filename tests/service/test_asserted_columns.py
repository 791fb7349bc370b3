"""DataHub's relationship aspects and OpenLineage's events without a run as table and column edges."""

from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.field_lineage import FieldLineageRequest
from jupyter_colophon.core.lineage.graph import Lineage, LineageRequest, TimeWindow
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.model import declared_lineage as asserted
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.service.lineage.field_lineage import read_field_lineage
from jupyter_colophon.storage import transaction_lifetime
from support.catalog import ADA, delete_entity_or_aspect, record_run
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.openlineage import build_event, build_event_dataset
from support.urns import build_table_urn

A, B, C = (build_table_urn(name) for name in "abc")
JOB = "urn:li:dataJob:(urn:li:dataFlow:(airflow,etl,PROD),load)"
MANY = 10_000


def field(urn: str, path: str) -> str:
    return f"urn:li:schemaField:({urn},{path})"


def fine(sources: list[str], targets: list[str], **more: Any) -> dict[str, Any]:
    lineage_edge = {
        "upstreamType": "FIELD_SET",
        "upstreams": sources,
        "downstreamType": "FIELD",
        "downstreams": targets,
    }
    return lineage_edge | more


def upstream(urn: str) -> dict[str, Any]:
    stamp = {"time": 1, "actor": "urn:li:corpuser:ada"}
    return {"dataset": urn, "type": "TRANSFORMED", "auditStamp": stamp, "properties": {"a": "b"}, "query": QUERY}


QUERY = "urn:li:query:q"


def declare(catalog: Catalog, urn: str, aspect: str, value: dict[str, Any], who: str = "ada") -> None:
    catalog.write_path.apply_proposals_atomically([Proposal(Urn.parse(urn), aspect, "upsert", value)], Principal(who))


def lineage(catalog: Catalog, urn: str = C) -> Lineage:
    return catalog.lineage.read_lineage(
        LineageRequest(Urn.parse(urn), "upstream", 2, TimeWindow(0, 2**50), columns=True), ADA
    )


def columns(catalog: Catalog, urn: str = C) -> set[tuple[str, str, str, str]]:
    return {
        (one.source, one.source_field, one.target_field, one.transformation) for one in lineage(catalog, urn).columns
    }


def made_of(catalog: Catalog, urn: str = C) -> set[str]:
    return {node.urn for node in lineage(catalog, urn).nodes if node.type == "dataset"} - {urn}


def test_fine_grained_upstreams_are_column_edges_besides_those_of_runs(catalog: Catalog) -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(colophon,app,sales),spark.join)"
    edge = ColumnEdge(Urn.parse(A), "x", Urn.parse(C), "y", "identity")
    record_run(catalog, job, "r", ("read", A), ("write", C), columns=[edge])
    value = {
        "upstreams": [upstream(B)],
        "fineGrainedLineages": [
            fine([field(B, "p"), field(B, "q")], [field(C, "z")], transformOperation="AGGREGATE", confidenceScore=0.5),
            fine([field(A, "x")], [field(C, "y")], query=QUERY),
        ],
    }
    declare(catalog, C, "upstreamLineage", value)
    assert made_of(catalog) == {A, B}
    both = {(A, "x", "y", "identity"), (A, "x", "y", "transformation")}
    assert columns(catalog) == {(B, "p", "z", "aggregation"), (B, "q", "z", "aggregation")} | both
    asserted = {edge.reported_by for edge in lineage(catalog).edges if edge.declared}
    assert asserted == {"ada"}
    declare(catalog, C, "upstreamLineage", {"upstreams": []})
    assert columns(catalog) == {(A, "x", "y", "identity")}
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_declared_fields_apply_to_their_time(catalog: Catalog) -> None:
    for name in ("p", "q"):
        value = {"upstreams": [upstream(B)], "fineGrainedLineages": [fine([field(B, name)], [field(C, "z")])]}
        declare(catalog, C, "upstreamLineage", value)
    for window, names in ((TimeWindow(0, 2**50), {"q"}), (TimeWindow(0, 1), set())):
        question = FieldLineageRequest(Urn.parse(C), window)
        assert {edge.source_field for edge in read_field_lineage(catalog.lineage, question, ADA).incoming} == names


def test_job_inputs_and_outputs_are_edges_of_the_job(catalog: Catalog) -> None:
    value = {
        "inputDatasets": [A],
        "inputDatasetEdges": [{"destinationUrn": B}],
        "outputDatasets": [C],
        "fineGrainedLineages": [fine([field(A, "x")], [field(C, "y")])],
    }
    declare(catalog, JOB, "dataJobInputOutput", value)
    found = lineage(catalog)
    assert {(one.source, one.target, one.reported_by) for one in found.edges} == {
        (A, JOB, "ada"),
        (B, JOB, "ada"),
        (JOB, C, "ada"),
    }
    assert [(one.program, one.source_field, one.target_field) for one in found.columns] == [(JOB, "x", "y")]
    # Equal column edges of a run of the job stay when they are no longer declared.
    record_run(catalog, JOB, "r", ("write", C), columns=[ColumnEdge(Urn.parse(A), "x", Urn.parse(C), "y", "identity")])
    declare(catalog, JOB, "dataJobInputOutput", {"inputDatasets": [], "outputDatasets": []})
    assert [edge.declared for edge in lineage(catalog, C).edges if edge.target == C] == [False]
    assert list_integrity_issues(create_maintenance(catalog)) == []


@pytest.mark.parametrize("runs", [1, 12])
def test_runs_of_a_declared_edge_end_and_are_counted(runs: int, catalog: Catalog) -> None:
    declare(catalog, JOB, "dataJobInputOutput", {"inputDatasets": [A], "outputDatasets": [C]})
    later = 2**45
    for number in range(runs):
        record_run(catalog, JOB, str(number), ("write", C), start=later + number, end=later + number + 5)
    (edge,) = [edge for edge in lineage(catalog).edges if edge.target == C]
    assert (edge.run_count, edge.start, edge.end) == (runs, later, later + runs + 4)
    record_run(catalog, JOB, "new", ("write", C), start=later + 100)
    (edge,) = [edge for edge in lineage(catalog).edges if edge.target == C]
    assert edge.end is None


def test_ten_thousand_fine_grained_upstreams_are_stored(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    # It takes a second of CPU time; with ten other tests that can exceed the transaction timeout.
    monkeypatch.setattr(transaction_lifetime, "WRITE_S", 60.0)
    fields = [fine([field(B, f"s{n}")], [field(C, f"t{n}")]) for n in range(MANY)]
    declare(catalog, C, "upstreamLineage", {"upstreams": [upstream(B)], "fineGrainedLineages": fields})
    assert len(columns(catalog)) == MANY


def test_only_redeclared_columns_change(catalog: Catalog) -> None:
    fields = [fine([field(B, f"s{n}")], [field(C, f"t{n}")]) for n in range(1_000)]
    declare(catalog, C, "upstreamLineage", {"upstreams": [upstream(B)], "fineGrainedLineages": fields})
    fields[0] = fine([field(B, "new")], [field(C, "t0")])
    declare(catalog, C, "upstreamLineage", {"upstreams": [upstream(B)], "fineGrainedLineages": fields})
    found = columns(catalog)
    assert len(found) == 1_000
    assert (B, "new", "t0", "transformation") in found
    assert (B, "s0", "t0", "transformation") not in found
    # All of them at once, some of which a run reported too.
    edge = ColumnEdge(Urn.parse(B), "s7", Urn.parse(C), "t7", "identity")
    record_run(
        catalog, asserted.get_program_urn_of_declared_edges(C, "default", "ada"), "r", ("write", C), columns=[edge]
    )
    fields = [fine([field(B, f"u{n}")], [field(C, f"t{n}")]) for n in range(1_000)]
    declare(catalog, C, "upstreamLineage", {"upstreams": [upstream(B)], "fineGrainedLineages": fields})
    found = columns(catalog)
    assert {one for one in found if not one[1].startswith("u")} == {(B, "s7", "t7", "identity")}
    assert len(found) == 1_001
    assert list_integrity_issues(create_maintenance(catalog)) == []


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({"upstreams": [upstream(JOB)]}, "/upstreams/0/dataset"),
        (
            {"upstreams": [], "fineGrainedLineages": [fine([field(A, "x"), JOB], [field(C, "y")])]},
            "/fineGrainedLineages/0/upstreams/1",
        ),
        (
            {"upstreams": [], "fineGrainedLineages": [fine([field(A, f"x{n}") for n in range(500)], [field(C, f"y{n}") for n in range(500)])]},
            "/fineGrainedLineages",
        ),
    ],
    ids=["no dataset", "no field", "too many"],
)  # fmt: skip
def test_invalid_lineage_is_refused_with_a_pointer(catalog: Catalog, value: Any, pointer: str) -> None:
    with pytest.raises(InvalidInstance) as refused:
        declare(catalog, C, "upstreamLineage", value)
    assert pointer in {one.pointer for one in refused.value.problems}


def test_job_event_lineage_applies_until_a_newer_job_event(
    catalog: Catalog,
) -> None:
    import json

    def send(second: int, *inputs: str) -> None:
        run_event = build_event(
            "OTHER",
            second,
            inputs=[build_event_dataset(one, "file") for one in inputs],
            outputs=[build_event_dataset("out", "file")],
        )
        job_event = {key: value for key, value in run_event.items() if key not in ("run", "eventType")}
        catalog.collector.parse_and_store_event(json.dumps(job_event).encode(), ADA)

    out = "urn:li:dataset:(urn:li:dataPlatform:file,out,PROD)"
    send(3, "b")
    send(1, "a")
    assert made_of(catalog, out) == {out.replace("out", "b")}
    send(4, "a", "b")
    assert made_of(catalog, out) == {out.replace("out", "a"), out.replace("out", "b")}
    delete_entity_or_aspect(catalog, "urn:li:dataJob:(urn:li:dataFlow:(openlineage,etl,PROD),load)")
    assert {edge.end is None for edge in lineage(catalog, out).edges} == {False}
    assert list_integrity_issues(create_maintenance(catalog)) == []
