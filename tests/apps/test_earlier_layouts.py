"""A store with applications that an earlier version wrote is opened by this one, and its applications continue."""

from pathlib import Path
from typing import Any

from jupyter_colophon.apps.reports.earlier_runs import list_summarized_namespaces, summarize_earlier_runs
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.storage import providers
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.spi import TableContext, TableSpec
from support.catalog import ADA
from support.report_runs import DAILY
from support.stores import APP_FILE_BYTES, READY
from support.system_apps import DATAPREP, call_app, open_apps, open_shipped_apps

#: The tables of the first version with applications, as it created them.
FIRST = (
    TableSpec(
        "system_apps",
        {"name": "string", "version": "string", "tables": "string", "deployed": "long", "disabled": "bool"},
        ("name",),
    ),
    TableSpec(
        "app_dataprep_connections",
        {
            "context": "string",
            "name": "string",
            "url": "string",
            "owner": "string",
            "created_by": "string",
            "uses": "int",
        },
        ("context", "name"),
        ("owner",),
    ),
)
#: What it recorded: an application that is installed now, and one that is not.
RECORDS = (
    {
        "name": "dataprep",
        "version": "0.9",
        "tables": '{"app_dataprep_connections": ["context", "name"]}',
        "deployed": 1_795_356_000_000,
        "disabled": None,
    },
    {"name": "reports", "version": "", "tables": None, "deployed": None, "disabled": True},
)
ROW = {"context": "sales", "name": "lake", "url": "s3://a", "owner": "ada", "created_by": "ada", "uses": 4}
#: The table of runs of the first version of the application reports.
FIRST_OF_REPORTS = TableSpec(
    "app_reports_runs",
    {
        "context": "string",
        "start_ms": "long",
        "run": "string",
        "run_id": "string",
        "program": "string",
        "program_name": "string",
        "type": "string",
        "actor": "string",
        "status": "string",
        "stop_ms": "long",
        "arguments": "string",
    },
    ("context", "start_ms", "run"),
    ("run",),
)
#: The tables of applications that later versions added.
LATER = ("system_app_files", "system_app_logs")
SALES = "/v2/contexts/sales/connections"


def test_applications_of_the_first_layout_continue(store_name: str, tmp_path: Path, install: Any) -> None:
    install(DATAPREP, "dataprep", "Dataprep")
    with READY[store_name](tmp_path) as choice:
        catalog = open_or_create_catalog(choice, IdentityRules())
        catalog.deployer.create_or_update_namespace("sales", {}, ADA)
        catalog.close()
        provider = providers.open_complete_provider(choice)
        for table in ("system_apps", *LATER):
            provider.table_admin.drop(table)
        provider.table_admin.create_or_update(*FIRST)

        def write(tx: TableContext) -> None:
            tx.get_table("system_apps").upsert_many(RECORDS)
            tx.get_table("app_dataprep_connections").upsert(ROW)

        provider.tx_runner.run(write)
        provider.close()

        catalog = open_or_create_catalog(
            choice, IdentityRules(), app_files=AppFileFolder(tmp_path / "app-files", APP_FILE_BYTES)
        )
        assert {*LATER} <= {*catalog.provider.table_admin.list()}
        apps = open_apps(catalog)
        (state,) = apps.list_states()
        assert (state.state, state.deployed_version) == ("running", "1.0")
        assert call_app(apps, "GET", f"{SALES}/lake") == ROW
        assert call_app(apps, "POST", f"{SALES}/lake/use") == {"uses": 5}
        assert apps.list_log_records("dataprep", None, 10) == []
        # Its rows still end with their namespace.
        catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
        catalog.namespaces.delete_remaining_content_now("sales")
        assert call_app(apps, "GET", "/v2/report", service="reports") == {}
        apps.close()
        catalog.close()


def test_reports_of_the_first_layout_read_rows_until_they_are_summarized(store_name: str, tmp_path: Path) -> None:
    with READY[store_name](tmp_path) as choice:
        catalog = open_or_create_catalog(choice, IdentityRules())
        catalog.deployer.create_or_update_namespace("sales", {}, ADA)
        catalog.provider.table_admin.create_or_update(FIRST_OF_REPORTS)
        run = {
            **{"context": "sales", "start_ms": 1_795_356_000_000, "run": "run1", "run_id": "1", "program": DAILY},
            **{"program_name": "daily", "type": "workflows", "actor": "ada", "status": "failed"},
            **{"stop_ms": 1_795_356_060_000, "arguments": "{}"},
        }
        catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_reports_runs").upsert(run))
        catalog.close()

        catalog = open_or_create_catalog(choice, IdentityRules())
        apps = open_shipped_apps(catalog, ["reports"])

        def query() -> Any:
            body = {"groupBy": ["user", "day"], "interval": {"from": "2026-11-01", "to": "2026-12-01"}}
            return call_app(apps, "POST", "/v1/reports/query", body, app="reports")

        before = query()
        assert [(row["user"], row["failed"], row["maxDurationMs"]) for row in before["rows"]] == [("ada", 1, 60_000)]
        received = ReceivedAppCall("reports", "service", ["v1", "reports", "query"], ServiceRequest("POST"), ADA)
        summarize_earlier_runs(apps.prepare_call(received).context)
        assert "sales" in list_summarized_namespaces(apps.prepare_call(received).context)
        assert query() == before
        apps.close()
        catalog.close()
