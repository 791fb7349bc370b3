"""Reports on runs: what they count, for whom, and how they are saved and generated."""

from collections.abc import Callable
from typing import Any

import pytest
from jupyter_colophon.apps.reports import generated
from jupyter_colophon.apps.reports.csv_text import build_csv
from jupyter_colophon.apps.reports.definition import ReportDefinition
from jupyter_colophon.apps.reports.durations import Durations
from jupyter_colophon.apps.reports.generated import KEPT, generate_due_reports
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.errors import BadRequest, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RunChange
from jupyter_colophon.core.model.proposal import Proposal
from support.catalog import ADA
from support.report_runs import DAILY, FIRST, HOUR, LOADER, NOVEMBER, REPAIR, run_program
from support.waiting import wait_for

Call = Callable[..., Any]
#: May read two namespaces, of which one has runs.
EVE = Principal("eve", namespaces=frozenset({"sales", "system"}))
BOB = Principal("bob")
MINUTE = 60_000


def test_runs_are_grouped_across_namespaces(call: Call) -> None:
    result = call("POST", "query", {"interval": NOVEMBER, "groupBy": ["program"]})
    assert [(row["program"], row["runs"], row["failed"]) for row in result["rows"]] == [
        (DAILY, 4, 1),
        *sorted([(REPAIR, 1, 0), (LOADER, 1, 0)]),
    ]
    daily = result["rows"][0]
    assert (daily["successShare"], daily["totalDurationMs"]) == (0.75, 100 * MINUTE)
    assert (daily["minDurationMs"], daily["averageDurationMs"], daily["maxDurationMs"]) == (
        10 * MINUTE,
        25 * MINUTE,
        40 * MINUTE,
    )
    assert daily["p95DurationMs"] == 40 * MINUTE
    running = next(row for row in result["rows"] if row["program"] == REPAIR)
    assert (running["successShare"], running["totalDurationMs"]) == (None, None)
    assert result["summary"]["statuses"] == {"succeeded": 4, "failed": 1, "killed": 0, "running": 1}
    assert result["summary"]["starts"] == {"oldestMs": FIRST, "newestMs": FIRST + 50 * HOUR}
    assert result["summary"]["owners"] == [{"user": "ada", "runs": 4}, {"user": "bob", "runs": 2}]
    assert sum(bar["succeeded"] for bar in result["timeline"]["bars"]) == 4


def test_filters_groups_order_and_limit(call: Call) -> None:
    by_day = {"interval": NOVEMBER, "groupBy": ["day", "status"], "measures": ["runs"], "sort": "day"}
    assert [tuple(row.values()) for row in call("POST", "query", by_day)["rows"]] == [
        ("2026-11-01", "failed", 1),
        ("2026-11-01", "succeeded", 3),
        ("2026-11-02", "succeeded", 1),
        ("2026-11-03", "running", 1),
    ]
    filters = {
        "namespaces": ["sales"],
        "users": ["ada"],
        "statuses": ["succeeded"],
        "programs": [DAILY],
        "types": ["workflows"],
    }
    body = {
        "interval": NOVEMBER,
        "groupBy": ["hour"],
        "measures": ["maxDurationMs"],
        "order": "desc",
        "filters": filters,
        "limit": 2,
    }
    result = call("POST", "query", body)
    assert [row["hour"] for row in result["rows"]] == ["2026-11-01T02:00Z", "2026-11-01T01:00Z"]
    assert (result["groups"], result["truncated"]) == (3, True)
    assert (
        call("POST", "query", {"interval": {"from": "2026-11-03", "to": "2026-11-04"}, "groupBy": []})["rows"][0][
            "runs"
        ]
        == 1
    )


def test_running_run_becomes_a_finished_one_once(call: Call, catalog: Catalog) -> None:
    (run,) = call("POST", "runs", {"interval": NOVEMBER, "filters": {"statuses": ["running"]}})["runs"]
    assert (run["namespace"], run["user"], run["durationMs"], run["arguments"]) == ("ops", "bob", None, {"day": "1"})
    catalog.write_path.update_run(run["run"], RunChange("killed", run["startMs"] + MINUTE), ADA)
    body = {"interval": NOVEMBER, "filters": {"namespaces": ["ops"]}}
    (ended,) = wait_for(lambda: call("POST", "runs", body)["runs"], lambda runs: runs[0]["status"] != "running")
    assert (ended["status"], ended["durationMs"]) == ("killed", MINUTE)


def test_callers_see_only_runs_of_namespaces_that_they_may_read(call: Call) -> None:
    body = {"interval": NOVEMBER, "groupBy": ["namespace"], "measures": ["runs"]}
    assert call("POST", "query", body, principal=EVE)["rows"] == [{"namespace": "sales", "runs": 5}]
    assert call("POST", "query", {**body, "filters": {"namespaces": ["ops"]}}, principal=EVE)["rows"] == []
    saved = call("POST", "definitions", {**body, "name": "All"})
    report = call("POST", f"definitions/{saved['id']}/run")
    path = f"definitions/{saved['id']}/reports/{report['number']}"
    assert [row["namespace"] for row in call("GET", path)["rows"]] == ["sales", "ops"]
    # The same user with a token that permits less.
    with pytest.raises(NotFound):
        call("GET", path, principal=Principal("ada", namespaces=EVE.namespaces))
    for method, other in (
        ("GET", path),
        ("PUT", f"definitions/{saved['id']}"),
        ("DELETE", f"definitions/{saved['id']}"),
    ):
        with pytest.raises(NotFound):
            call(method, other, {**body, "name": "Mine"}, principal=EVE)
    assert call("GET", "definitions", principal=EVE) == {"definitions": []}


def test_report_is_not_found_without_access_to_one_of_its_programs(call: Call, catalog: Catalog) -> None:
    saved = call("POST", "definitions", {"name": "All", "interval": NOVEMBER, "groupBy": ["namespace"]}, principal=BOB)
    call("POST", f"definitions/{saved['id']}/run", principal=BOB)
    path = f"definitions/{saved['id']}/reports/1"
    report = call("GET", path, principal=BOB)
    assert [row["namespace"] for row in report["rows"]] == ["sales", "ops"]
    assert "programs" not in report
    rules = [
        {"role": "viewer", "to": ["*"], "on": {}},
        {"deny": ["read"], "to": ["user:bob"], "on": {"namespace": ["sales"], "urnPrefix": [LOADER]}},
    ]
    policy = Proposal(Urn.parse("urn:li:accessPolicy:loader"), "accessRules", "upsert", {"rules": rules})
    catalog.write_path.apply_proposals_atomically([policy], ADA)

    def is_found(principal: Principal) -> bool:
        try:
            return bool(call("GET", path, principal=principal))
        except NotFound:
            return False

    # Processes look for newer policies.
    wait_for(lambda: is_found(BOB), lambda found: not found)
    # It was not deleted.
    catalog.write_path.apply_proposals_atomically([Proposal(policy.urn, None, "delete")], INTERNAL)
    wait_for(lambda: is_found(BOB), bool)


def test_definition_is_run_by_its_schedule_with_the_rights_of_its_owner(
    call: Call, apps: SystemApps, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"name": "Nightly", "interval": NOVEMBER, "groupBy": ["namespace"], "measures": ["runs"], "schedule": "PT1H"}
    saved = call("POST", "definitions", body)
    context = apps.prepare_call(
        ReceivedAppCall("reports", "service", ["v1", "reports", "query"], ServiceRequest("POST"), ADA)
    ).context
    generate_due_reports(context)
    assert call("GET", f"definitions/{saved['id']}/reports") == {"reports": []}
    monkeypatch.setattr(generated, "read_time_ms", lambda: saved["nextMs"] + 1)
    for _ in range(2):
        generate_due_reports(context)
    (report,) = call("GET", f"definitions/{saved['id']}/reports")["reports"]
    assert (report["trigger"], report["status"], report["number"]) == ("schedule", "succeeded", 1)
    assert call("GET", f"definitions/{saved['id']}")["nextMs"] == saved["nextMs"] + HOUR
    assert [row["runs"] for row in call("GET", f"definitions/{saved['id']}/reports/1")["rows"]] == [5, 1]


def test_definitions_are_changed_and_deleted_and_keep_their_newest_reports(call: Call) -> None:
    saved = call("POST", "definitions", {"name": "Week"})
    path = f"definitions/{saved['id']}"
    assert saved["definition"]["interval"] == {"last": "7d"}
    changed = call("PUT", path, {"name": "Month", "interval": {"last": "4w"}, "schedule": "0 5 * * 1"})
    assert (changed["definition"]["name"], changed["nextMs"] is None) == ("Month", False)
    for _ in range(KEPT + 2):
        call("POST", f"{path}/run")
    numbers = [report["number"] for report in call("GET", f"{path}/reports")["reports"]]
    assert numbers == list(range(KEPT + 2, 2, -1))
    call("DELETE", f"{path}/reports/{KEPT + 2}")
    with pytest.raises(NotFound):
        call("GET", f"{path}/reports/{KEPT + 2}")
    call("DELETE", path)
    with pytest.raises(NotFound):
        call("GET", f"{path}/reports")


def test_runs_and_reports_end_with_their_namespace(call: Call, catalog: Catalog) -> None:
    body = {"name": "All", "interval": NOVEMBER, "groupBy": ["namespace"], "measures": ["runs"]}
    path = f"definitions/{call('POST', 'definitions', body)['id']}"
    call("POST", f"{path}/run")
    catalog.namespaces.delete_namespace_and_content_in_background("ops", ADA)
    assert call("POST", "query", body)["rows"] == [{"namespace": "sales", "runs": 5}]
    wait_for(lambda: call("GET", f"{path}/reports")["reports"], lambda reports: not reports)

    def create_again() -> bool:
        try:
            catalog.deployer.create_or_update_namespace("ops", {}, ADA)
        except Exception:  # noqa: BLE001  the content of the former one is being deleted
            return False
        return True

    wait_for(create_again, bool)
    assert call("POST", "query", body)["rows"] == [{"namespace": "sales", "runs": 5}]
    run_program(catalog, REPAIR, 60, 5)
    wait_for(lambda: call("POST", "query", body)["rows"], lambda rows: rows[-1] == {"namespace": "ops", "runs": 1})


def test_reports_have_the_pseudonym_of_an_erased_person(call: Call, catalog: Catalog) -> None:
    body = {"interval": NOVEMBER, "groupBy": ["user"], "measures": ["runs"]}
    pseudonym = catalog.eraser.start("bob", ADA).pseudonym
    wait_for(lambda: catalog.eraser.read_erasure(pseudonym).finished, lambda finished: finished is not None)
    assert call("POST", "query", body)["rows"] == [{"user": "ada", "runs": 4}, {"user": pseudonym, "runs": 2}]
    # A run that ends afterwards is counted with the others.
    (run,) = call("POST", "runs", {"interval": NOVEMBER, "filters": {"statuses": ["running"]}})["runs"]
    catalog.write_path.update_run(run["run"], RunChange("killed", run["startMs"] + MINUTE), ADA)
    of_person = {
        **body,
        "measures": ["runs", "totalDurationMs"],
        "filters": {"users": [pseudonym], "namespaces": ["ops"]},
    }
    wait_for(
        lambda: call("POST", "query", of_person)["rows"],
        lambda rows: rows == [{"user": pseudonym, "runs": 1, "totalDurationMs": MINUTE}],
    )


@pytest.mark.parametrize(("query", "accept"), [({"format": ["csv"]}, ""), ({}, "text/html, text/csv;q=0.9, */*;q=0.1")])
def test_csv_has_no_formulas(query: Any, accept: str, apps: SystemApps) -> None:
    body = (
        b'{"interval": {"from": "2026-11-01", "to": "2026-12-01"}, "measures": ["runs"], "filters": {"users": ["bob"]}}'
    )
    request = ServiceRequest("POST", {}, query, "application/json", body, accept)
    call = apps.prepare_call(ReceivedAppCall("reports", "service", ["v1", "reports", "query"], request, ADA))
    response = apps.submit_call(call, lambda encoded: encoded).result(120)
    assert response.media_type == "text/csv"
    assert response.body.decode().splitlines()[0] == "program,programName,runs"
    assert build_csv({"columns": ["a", "b"], "rows": [{"a": "=1+1", "b": -1}, {"a": "@x,y", "b": None}]}) == (
        "a,b\r\n'=1+1,-1\r\n\"'@x,y\",\r\n"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([], "must be a JSON object"),
        ({"color": 1}, "unknown member"),
        ({"interval": {"last": "7y"}}, "a number of hours, days or weeks"),
        ({"interval": {"last": "9999w"}}, "up to ten years"),
        ({"interval": {"from": "2026-11-02", "to": "2026-11-01"}}, "must end after"),
        ({"interval": {"from": 5, "to": "2026-11-01"}}, "ISO 8601"),
        ({"filters": {"statuses": ["done"]}}, "unknown status"),
        ({"filters": {"users": "ada"}}, "list of at most"),
        ({"groupBy": ["color"]}, "must be a list of"),
        ({"measures": []}, "at least one"),
        ({"sort": "user"}, "one of the groups or measures"),
        ({"order": []}, "one of asc, desc"),
        ({"limit": True}, "whole number"),
        ({"schedule": "0 5 31 2 *"}, "not valid"),
        ({"schedule": "soon"}, "valid duration"),
    ],
)
def test_invalid_definitions_are_refused(body: Any, expected: str) -> None:
    with pytest.raises(BadRequest, match=expected):
        ReportDefinition.from_document(body)


def test_percentile_is_exact_to_one_percent() -> None:
    durations = Durations()
    for number in range(1, 10_001):
        durations.add(number * 37)
    assert durations.calculate_percentile() == pytest.approx(9_500 * 37, rel=0.01)
