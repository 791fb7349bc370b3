"""dbt itself, on DuckDB and PostgreSQL: what it writes is ingested, and equals the recorded artifacts; and the events of
`dbt-ol`.

`make long-dbt` runs it. It starts dbt a dozen times, which is too slow for `make test`.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from jupyter_colophon.client.operations import Operations
from live import LiveServer
from support import servers
from support.commands import Commands
from support.dbt_artifacts import RECORDED, reduce_artifacts
from support.postgres import run_listening_server

catalog, server = servers.catalog, servers.server
_FOLDER = Path(__file__).parent
_PROGRAMS = _FOLDER.parents[1] / ".venv" / "dbt" / "bin"
#: The model that fails by itself: `dbt build` exits with 1.
_BUILD_STATUS = 1
Dbt = Callable[..., str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(_FOLDER / "shop", tmp_path / "shop"))


@pytest.fixture
def environment(project: Path) -> dict[str, str]:
    """The variables that the project's profile reads: a DuckDB by its absolute path, as events need it."""
    return {"SHOP_DUCKDB": str(project / "shop.duckdb")}


@pytest.fixture
def dbt(project: Path, environment: dict[str, str]) -> Dbt:
    """`dbt("dbt", "build")`: the output of a program of dbt in the project's folder."""

    def run(program: str, *words: str, status: int = 0, **more: str) -> str:
        kept = {"PATH": f"{_PROGRAMS}{os.pathsep}{os.environ['PATH']}", "HOME": str(project.parent)}
        done = subprocess.run(
            [_PROGRAMS / program, *words],
            env={**kept, "DBT_PROFILES_DIR": str(project), **environment, **more},
            cwd=project,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout + done.stderr

    return run


@pytest.fixture
def postgres(environment: dict[str, str]) -> Iterator[None]:
    """The database of the profile's target `postgres`."""
    with run_listening_server() as running:
        running.execute("CREATE DATABASE shop")
        environment["SHOP_USER"] = "colophon"
        yield


def _ingest(server: LiveServer, project: Path, environment: Mapping[str, str], *options: str) -> Any:
    commands = Commands(project.parent, Path("unused"), environment={"COLOPHON_TOKEN": server.token, **environment})
    done = commands.run("ingest", "dbt", str(project / "target"), f"--url={server.url}", "--json", *options)
    assert (done.status, done.err) == (0, ""), done.err
    return done.answer


def _list_shape(artifacts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what does not differ from run to run: nodes with their columns and parents, and the status of results."""
    manifest, catalog, results = (artifacts[name] for name in ("manifest.json", "catalog.json", "run_results.json"))
    nodes = {**manifest["nodes"], **manifest["sources"], **manifest["exposures"]}
    return {
        "nodes": {
            id_: (sorted(node), node.get("compiled_code"), node.get("depends_on"), node.get("columns"))
            for id_, node in nodes.items()
        },
        "columns": {
            id_: {name: column["type"] for name, column in entry["columns"].items()}
            for part in ("nodes", "sources")
            for id_, entry in catalog[part].items()
        },
        "results": {item["unique_id"]: item["status"] for item in results["results"]},
        "versions": [artifact["metadata"]["dbt_schema_version"] for artifact in artifacts.values()],
    }


def test_the_recorded_artifacts_are_those_of_dbt(dbt: Dbt, project: Path) -> None:
    dbt("dbt", "build", status=_BUILD_STATUS)
    dbt("dbt", "docs", "generate", "--no-compile")
    recorded = {name: json.loads((RECORDED / name).read_text("utf-8")) for name in reduce_artifacts(project / "target")}
    assert _list_shape(reduce_artifacts(project / "target")) == _list_shape(recorded)


def test_a_project_on_duckdb_is_ingested_once_for_each_run(
    dbt: Dbt, project: Path, environment: dict[str, str], server: LiveServer, catalog: Operations
) -> None:
    dbt("dbt", "build", status=_BUILD_STATUS)
    dbt("dbt", "docs", "generate", "--no-compile")
    first = _ingest(server, project, environment)
    assert (first["runs"]["written"], first["tests"]["written"], first["problems"]) == (8, 8, [])
    again = _ingest(server, project, environment)
    assert [again[part]["written"] for part in ("aspects", "runs", "tests")] == [0, 0, 0]
    # A second run of the same models writes runs and results, and nothing else.
    dbt("dbt", "build", status=_BUILD_STATUS)
    second = _ingest(server, project, environment)
    assert [second[part]["written"] for part in ("aspects", "runs", "tests")] == [0, 8, 8]
    table = build_jdbc_urn(f"jdbc:duckdb:{project}/shop.duckdb", "customers")
    runs = catalog.list_runs(data=table)["runs"]
    assert [run["status"] for run in runs if run["program"].endswith("shop.main.shop.customers)")] == ["succeeded"] * 2
    # The command that replaces the results of the build.
    dbt("dbt", "docs", "generate")
    third = _ingest(server, project, environment)
    assert (third["runs"]["written"], any("builds nothing" in note for note in third["notes"])) == (0, True)


@pytest.mark.usefixtures("postgres")
def test_a_project_on_postgresql_is_named_as_over_jdbc(
    dbt: Dbt, project: Path, environment: dict[str, str], server: LiveServer, catalog: Operations
) -> None:
    dbt("dbt", "build", "--target=postgres", status=_BUILD_STATUS)
    dbt("dbt", "docs", "generate", "--no-compile", "--target=postgres")
    # The run results name the target.
    answer = _ingest(server, project, environment)
    assert (answer["runs"]["written"], answer["tests"]["written"], answer["problems"]) == (8, 8, [])
    table = build_jdbc_urn("jdbc:postgresql://localhost/shop", "public.customers")
    assert table is not None
    types = {one["fieldPath"]: one["nativeDataType"] for one in _read(catalog, table, "schemaMetadata")["fields"]}
    assert types["revenue"] == "numeric"
    assert _read(catalog, table, "quality")["status"] == "passing"


def _read(catalog: Operations, urn: str, aspect: str) -> Any:
    return catalog.read_aspect(urn, aspect)["value"]


def test_events_of_dbt_ol_are_about_the_same_tables_and_jobs(
    dbt: Dbt, project: Path, environment: dict[str, str], server: LiveServer, catalog: Operations
) -> None:
    reported = {
        "OPENLINEAGE_URL": f"{server.url}colophon/openlineage/",
        "OPENLINEAGE_API_KEY": server.token,
        "OPENLINEAGE_NAMESPACE": "dbt",
    }
    dbt("dbt", "seed", "--quiet")
    dbt("dbt-ol", "run", "--exclude", "broken", **reported)
    customers, orders, visits, staged, ephemeral, unaliased = (
        build_jdbc_urn(f"jdbc:duckdb:{project}/shop.duckdb", name)
        for name in (
            "customers",
            "main_staging.stg_orders",
            "crm_visits",
            "main_staging.stg_customers",
            "main_staging.paid_orders",
            "visits",
        )
    )
    assert customers is not None
    (run,) = catalog.list_runs(data=customers)["runs"]
    assert (run["status"], run["facts"]["engine"]) == ("succeeded", "dbt 1.11.16")
    # The events name an ephemeral model as a table, and a source by its name in the project.
    assert _list_accesses(run) == {("read", unaliased), ("read", staged), ("read", ephemeral), ("write", customers)}
    columns = catalog.read_lineage(customers, direction="upstream", columns=True)["columns"]
    assert {(one["source"], one["sourceField"]) for one in columns} == {
        (staged, name) for name in ("customer_id", "email", "region")
    }

    dbt("dbt-ol", "test", "--exclude", "broken", **reported)
    results = _read(catalog, customers, "quality")["results"]
    assert {(one["kind"], one["name"], one["status"]) for one in results.values()} >= {
        ("other", "not_null", "passed"),
        ("other", "unique", "passed"),
    }

    # The files of the same run, without a second run of each job.
    dbt("dbt", "docs", "generate", "--no-compile")
    answer = _ingest(server, project, environment, "--no-runs")
    assert (answer["runs"]["written"], answer["problems"]) == (0, [])
    runs = catalog.list_runs(data=customers)["runs"]
    assert [one["urn"] for one in runs if one["program"] == run["program"]] == [run["urn"]]
    lineage = _read(catalog, run["program"], "dataJobInputOutput")
    assert set(lineage["inputDatasets"]) == {visits, staged, orders}


def _list_accesses(run: Any) -> set[tuple[str, str]]:
    return {(access["mode"], access["data"]) for access in run["accesses"]}
