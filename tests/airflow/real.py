"""Airflow's provider of OpenLineage with this server: the runs, tables and failures of a DAG.

`make long-airflow` runs it. It starts Airflow, which is too slow for `make test`.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn
from jupyter_colophon.client.operations import Operations
from live import LiveServer
from support import servers
from support.postgres import PostgresServer, run_listening_server

catalog, server = servers.catalog, servers.server
_FOLDER = Path(__file__).parent
_TABLES = ("orders", "revenue")
_REPORT = "urn:li:dataset:(urn:li:dataPlatform:file,/data/report.csv,PROD)"
_PROGRAMS = _FOLDER.parents[1] / ".venv" / "airflow" / "bin"


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A database with the tables of the DAG."""
    with run_listening_server() as running:
        for table in _TABLES:
            running.execute(f"CREATE TABLE {table} (customer_id integer, amount numeric)")
        yield running


def _run(tmp_path: Path, server: LiveServer, *command: object, status: int = 0) -> str:
    transport = {
        "type": "http",
        "url": f"{server.url}colophon/openlineage/",
        "auth": {"type": "api_key", "apiKey": server.token},
    }
    done = subprocess.run(
        [_PROGRAMS / str(command[0]), *map(str, command[1:])],
        env={
            "PATH": f"{_PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "AIRFLOW_HOME": str(tmp_path / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(_FOLDER / "dags"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(transport),
            "AIRFLOW__OPENLINEAGE__NAMESPACE": "airflow",
            "AIRFLOW_CONN_SHOP": "postgres://colophon@localhost:5432/postgres",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def test_a_dag_reports_runs_tables_and_failures(
    tmp_path: Path, server: LiveServer, catalog: Operations, postgres: PostgresServer
) -> None:
    _run(tmp_path, server, "airflow", "db", "migrate")
    _run(tmp_path, server, "python", _FOLDER / "dags" / "shop.py")
    runs = {run["name"]: run for run in catalog.list_runs(limit=100)["runs"]}
    dag = runs["shop"]
    assert (dag["status"], dag["facts"]["engine"]) == ("failed", "Airflow 3.1.8")
    tasks = {name: runs[f"shop.{name}"] for name in ("revenue", "report", "broken")}
    assert {name: run["status"] for name, run in tasks.items()} == {
        "revenue": "succeeded",
        "report": "succeeded",
        "broken": "failed",
    }
    assert {run["parent"] for run in tasks.values()} == {dag["urn"]}
    assert tasks["broken"]["facts"]["error"].startswith("Bash command failed")
    # The statement of a task is parsed: its tables are those that Spark reads over JDBC.
    orders, revenue = (build_jdbc_urn("jdbc:postgresql://localhost/postgres", f"public.{name}") for name in _TABLES)
    assert _list_accesses(tasks["revenue"]) == {("read", orders), ("write", revenue)}
    # Assets that a task names.
    assert _list_accesses(tasks["report"]) == {("read", revenue), ("write", _REPORT)}
    upstream = catalog.read_lineage(_REPORT, direction="upstream", levels=3)
    assert orders in {node["urn"] for node in upstream["nodes"]}


def _list_accesses(run: Any) -> set[tuple[str, str]]:
    return {(access["mode"], access["data"]) for access in run["accesses"]}
