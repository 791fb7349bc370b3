"""Dataclasses as documents of the API and in stored form."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.core.documents.codec import from_api_document, from_stored_form, to_api_document, to_stored_form
from jupyter_colophon.core.entities.entity import Aspect, AuditStamp, EntitySummary
from jupyter_colophon.core.errors import InvalidName, InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import ColumnLineage, LineageEdge
from jupyter_colophon.core.lineage.run import Access, RecordedAccess, Run, RunChange
from jupyter_colophon.core.model.proposal import Proposal, WriteCondition
from jupyter_colophon.core.model.system_metadata import SystemMetadata

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
RUN = Run(
    urn="urn:li:dataProcessInstance:1",
    run_id="r1",
    program="urn:li:dataJob:1",
    name="etl",
    status="running",
    start=1_000,
    end=None,
    parent=None,
    actor="ada",
    via=None,
    facts={"rows": 3},
    intended=(ORDERS,),
    accesses=(RecordedAccess(ORDERS, "read", "", 1_000, 2_000, ("0",)),),
)
SUMMARY = EntitySummary(ORDERS, "dataset", "sales", "orders", None, AuditStamp(0, "ada"), AuditStamp(1, "bob"))
ASPECT = Aspect("status", "SYSTEM", 1, {"removed": False}, "ada", None, 0)


@pytest.mark.parametrize(
    "value", [RUN, SUMMARY, replace(SUMMARY, removed=True), ASPECT, ColumnLineage("a", "x", "b", "y", None, "join")]
)
def test_document_round_trips_as_json(value: Any) -> None:
    for write, read in ((to_api_document, from_api_document), (to_stored_form, from_stored_form)):
        assert read(json.loads(json.dumps(write(value))), type(value)) == value


def test_document_has_camel_case_names_iso_times_and_marked_names() -> None:
    assert to_api_document(RUN) == {
        "urn": "urn:li:dataProcessInstance:1",
        "runId": "r1",
        "program": "urn:li:dataJob:1",
        "name": "etl",
        "status": "running",
        "start": "1970-01-01T00:00:01.000Z",
        "end": None,
        "parent": None,
        "actor": "ada",
        "via": None,
        "facts": {"rows": 3},
        "arguments": {},
        "intendedOutputs": [ORDERS],
        "accesses": [
            {
                "data": ORDERS,
                "mode": "read",
                "component": "",
                "first": "1970-01-01T00:00:01.000Z",
                "last": "1970-01-01T00:00:02.000Z",
                "statements": ["0"],
            }
        ],
    }
    edge = LineageEdge("a", "b", "declared", (), 0, 0, None, (), "ada", declared=True)
    assert to_api_document(edge)["declared"] is True


def test_stored_form_has_field_names_and_milliseconds() -> None:
    stored = to_stored_form(RUN)
    assert (stored["run_id"], stored["start"], stored["intended"]) == ("r1", 1_000, [ORDERS])
    assert stored["accesses"][0]["first"] == 1_000


def test_run_stored_by_an_earlier_release_gets_defaults() -> None:
    stored = to_stored_form(RUN)
    del stored["intended"], stored["arguments"], stored["accesses"][0]["statements"]
    expected = replace(RUN, intended=(), accesses=(replace(RUN.accesses[0], statements=()),))
    assert from_stored_form(stored, Run) == expected


def test_default_values_that_are_marked_are_left_out() -> None:
    assert "removed" not in to_api_document(SUMMARY)
    assert to_api_document(replace(SUMMARY, removed=True))["removed"] is True
    assert "systemMetadata" not in to_api_document(ASPECT)
    known = replace(ASPECT, system=SystemMetadata.from_document({"runId": "r", "custom": 1}))
    assert to_api_document(known)["systemMetadata"] == {"runId": "r", "custom": 1}


def test_hidden_fields_are_neither_written_nor_read() -> None:
    access = Access(Urn.parse(ORDERS), "read", namespace="sales")
    document = to_api_document(access)
    assert {"namespace", "snapshot"}.isdisjoint(document)
    assert from_api_document(document | {"namespace": "other"}, Access) == replace(access, namespace="")
    proposal = Proposal(
        Urn.parse(ORDERS), "status", "upsert", {}, WriteCondition(version=3), needs="entity", implied=True
    )
    assert from_stored_form(to_stored_form(proposal), Proposal) == replace(proposal, needs="nothing", implied=False)


def test_json_values_are_kept_unchanged() -> None:
    value = {"a": [1, {"b": None}], "c": 1.5}
    proposal = Proposal(Urn.parse(ORDERS), "status", "upsert", value)
    assert from_stored_form(to_stored_form(proposal), Proposal).value == value
    assert from_api_document({"facts": {"n": 1, "ok": True}}, RunChange).facts == {"n": 1, "ok": True}


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({"data": "orders", "mode": "read"}, InvalidName),
        ({"data": ORDERS, "mode": "read", "time": "noon"}, InvalidQuery),
    ],
)
def test_wrong_text_raises_the_error_of_its_type(document: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        from_api_document(document, Access)
