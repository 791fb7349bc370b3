"""The runs of jobs in the catalog: of those that fail, whose process ends, and that are deleted."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps import AccessDenied, Principal, Urn
from jupyter_colophon.apps.analytics.app import SPARK_SERVICE
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.lineage.run import Run
from support.catalog import ADA, record_run
from support.system_apps import call_app, open_shipped_apps
from support.waiting import wait_for

Call = Callable[..., Any]
APPLICATION = "urn:li:dataFlow:(colophon,analytics-churn,sales)"
SPLIT = f"urn:li:dataJob:({APPLICATION},spark.split-half)"
EXPERIMENT = "/v2/contexts/sales/experiments/churn"
#: May change metadata, but delete nothing.
EDITOR = Principal("bob", None, frozenset({"read", "annotate", "emit"}))


def read_run_of_split(catalog: Catalog, run_id: str) -> Run:
    return catalog.runs.read_run_by_program_and_id(Urn.parse(SPLIT), "", run_id, ADA)


def test_job_that_fails_is_a_failed_run_in_reports(catalog: Catalog, data: Path) -> None:
    apps = open_shipped_apps(catalog, ["analytics", "reports"])

    def call(method: str, path: str, body: Any = None, **options: Any) -> Any:
        return call_app(apps, method, path, body, app="analytics", **options)

    try:
        predictors = [{"name": "age", "type": "numeric"}]
        outcome = {"name": "churned", "type": "categorical"}
        source = {"path": str(data / "churn.csv")}
        call("PUT", EXPERIMENT, {"source": source, "outcome": outcome, "predictors": predictors})
        # This process has no Spark session.
        body = {"name": "half", "trainFraction": 0.5}
        call("POST", f"{EXPERIMENT}/splits", body, service=SPARK_SERVICE, kind="spark")
        split = wait_for(lambda: call("GET", f"{EXPERIMENT}/splits/half"), lambda found: found["state"] != "running")
        assert split["state"] == "failed"
        (reported,) = wait_for(
            lambda: call_app(apps, "POST", "/v1/reports/runs", {"interval": {"last": "1d"}}, app="reports")["runs"],
            lambda runs: [run["status"] for run in runs] == ["failed"],
        )
        assert (reported["namespace"], reported["type"], reported["user"]) == ("sales", "spark", "ada")
        run = read_run_of_split(catalog, reported["runId"])
        assert run.facts == {"error": split["problem"]}
        assert run.arguments | {"experiment": "churn", "split": "half", "trainFraction": "0.5"} == run.arguments
        assert (run.start, run.title) == (split["createdMs"], "Split half")
        assert run.end is not None

        with pytest.raises(AccessDenied):
            call("DELETE", f"{EXPERIMENT}/splits/half", principal=EDITOR)
        call("DELETE", f"{EXPERIMENT}/splits/half")
        assert call("GET", f"{EXPERIMENT}/splits")["splits"] == []
        assert catalog.reader.read_entity(Urn.parse(APPLICATION), (), ADA).summary.name == "analytics-churn"
        call("DELETE", EXPERIMENT)
        for urn in (SPLIT, APPLICATION):
            with pytest.raises(NotFound):
                catalog.reader.read_entity(Urn.parse(urn), (), ADA)
    finally:
        apps.close()


def test_run_of_a_process_that_ended_was_killed(call: Call, experiment: dict[str, Any], catalog: Catalog) -> None:
    row = {
        **{"context": "sales", "experiment": "churn", "name": "half", "job": "ended", "state": "running"},
        **{"progress": "", "problem": "", "lineage_problem": "", "settings": "{}", "created_ms": 1_000},
    }
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_analytics_splits").upsert(row))
    record_run(catalog, SPLIT, "ended", start=1_000)
    assert call("GET", "experiments/churn/splits/half")["state"] == "failed"
    run = read_run_of_split(catalog, "ended")
    assert (run.status, run.actor) == ("killed", "ada")
    assert run.facts == {"error": "the process that ran it has ended: start it again"}
