"""Run events of DataHub's assertions are results in the quality of their datasets."""

from dataclasses import replace
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.assertion_urn import make_assertion_urn
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import build_table_urn

TABLE = Urn.parse(build_table_urn("orders"))
CLIENTS = Urn("assertion", ("9f2c",), compound=False)
OWN = make_assertion_urn(TABLE, "rows")


class NoReportsOnDatasets:
    """An authorizer that accepts reports only in the namespace of assertions."""

    def may(self, _principal: Principal, action: Action, namespace: str) -> bool:
        return action == "read" or namespace == "default"


def emit(catalog: Catalog, assertion: Urn, type_: str, time: int = 1_000) -> None:
    event = {
        **{
            "timestampMillis": time,
            "runId": "r",
            "status": "COMPLETE",
            "result": {"type": type_, "unexpectedCount": 2},
        },
        **{"asserteeUrn": str(TABLE), "assertionUrn": str(assertion)},
    }
    catalog.write_path.apply_proposals_atomically([Proposal(assertion, "assertionRunEvent", "upsert", event)], ADA)


def read_results(catalog: Catalog) -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = catalog.reader.read_current_aspect(TABLE, "quality", ADA).value["results"]
    return results


def list_event_types(catalog: Catalog, assertion: Urn) -> list[str]:
    page = catalog.datahub.timeseries.read_newest_values(assertion, "assertionRunEvent", ADA, limit=10)
    return [event.value["result"]["type"] for event in page.values]


def test_an_event_about_an_expectation_is_a_result_of_it(catalog: Catalog) -> None:
    write_metadata(catalog, str(TABLE))
    expectations = {"rows": {"kind": "rowCount", "min": 5, "severity": "warning"}}
    value = {"expectations": expectations}
    catalog.write_path.apply_proposals_atomically([Proposal(TABLE, "expectations", "upsert", value)], ADA)
    emit(catalog, OWN, "FAILURE")
    (result,) = read_results(catalog).values()
    assert (result["kind"], result["severity"], result["status"], result["failing"]) == (
        "rowCount",
        "warning",
        "failed",
        2,
    )
    emit(catalog, OWN, "SUCCESS", 2_000)
    assert [entry["status"] for entry in read_results(catalog)["rows"]["history"]] == ["passed", "failed"]
    assert list_event_types(catalog, OWN) == ["SUCCESS", "FAILURE"]
    assert list_integrity_issues(create_maintenance(catalog)) == []


def test_an_event_is_stored_without_a_result_if_the_dataset_refuses_reports(catalog: Catalog) -> None:
    write_metadata(catalog, str(TABLE))
    emit(replace(catalog, write_path=replace(catalog.write_path, authorizer=NoReportsOnDatasets())), CLIENTS, "FAILURE")
    assert list_event_types(catalog, CLIENTS) == ["FAILURE"]
    with pytest.raises(NotFound):
        read_results(catalog)


def test_a_deleted_assertion_has_no_result(catalog: Catalog) -> None:
    info = {
        "type": "DATASET",
        "datasetAssertion": {
            "dataset": str(TABLE),
            "scope": "DATASET_ROWS",
            "operator": "_NATIVE_",
            "nativeType": "fresh",
        },
    }
    catalog.write_path.apply_proposals_atomically([Proposal(CLIENTS, "assertionInfo", "upsert", info)], ADA)
    emit(catalog, CLIENTS, "ERROR")
    (result,) = read_results(catalog).values()
    assert (result["name"], result["status"]) == ("fresh", "error")
    catalog.write_path.apply_proposals_atomically([Proposal(CLIENTS, None, "delete", None)], ADA)
    assert read_results(catalog) == {}
