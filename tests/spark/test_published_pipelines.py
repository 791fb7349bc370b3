"""Pipelines of workspaces with tables of databases: what they write, and the lineage that they record."""

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.pipelines.check import check_and_prepare_pipeline
from jupyter_colophon.pipelines.plugin_registry import load_plugins
from jupyter_colophon.pipelines.runner import run_pipeline
from pyspark.sql import SparkSession
from spark.conftest import DRIVERS
from support.catalog import ADA
from support.postgres import get_or_start_server, open_tcp_port
from support.published_pipelines import Workspaces, open_workspaces
from support.servers import catalog, known, server

__all__ = ["catalog", "known", "server"]
pytestmark = pytest.mark.usefixtures("known")
ROWS = "(1, ' Ada ', '1.5'), (2, 'Bob', '2'), (3, 'Cyd', 'many')"
DIRECTIVES = ["trim :name", "set-type :amount double"]
PASSWORD = "of-the-warehouse"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with orders, of which a recipe rejects one."""

    connection: dict[str, str]
    path: str
    dataset: str


@pytest.fixture
def workspaces(tmp_path: Path) -> Iterator[Workspaces]:
    assert any(DRIVERS.glob("*.jar")), "the drivers of databases are missing: make .stamps/jdbc"
    with open_workspaces(tmp_path) as opened:
        yield opened


@pytest.fixture
def sqlite_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    file = tmp_path.resolve() / "files" / "shop.db"
    file.parent.mkdir()
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            f"CREATE TABLE orders (id INTEGER, name TEXT, amount TEXT); INSERT INTO orders VALUES {ROWS}"
        )
    monkeypatch.setenv("COLOPHON_DATAPREP_FOLDERS", str(file.parent))
    dataset = f"urn:li:dataset:(urn:li:dataPlatform:sqlite,{file}.orders,PROD)"
    return Table({"type": "jdbc", "url": f"jdbc:sqlite:{file}"}, "main/orders", dataset)


@pytest.fixture
def postgresql_table(workspaces: Workspaces, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    started, schema = get_or_start_server(), f"shop_{uuid.uuid4().hex[:8]}"
    started.execute(f"""
        CREATE ROLE {schema} LOGIN PASSWORD '{PASSWORD}';
        CREATE SCHEMA {schema} AUTHORIZATION {schema};
        SET ROLE {schema};
        CREATE TABLE {schema}.orders (id integer, name text, amount text);
        INSERT INTO {schema}.orders VALUES {ROWS};
    """)
    workspaces.catalog.secrets.put("shop", "warehouse", PASSWORD, "", ADA)
    monkeypatch.setenv("COLOPHON_SECRET_WAREHOUSE", PASSWORD)
    with open_tcp_port(started) as port:
        address = f"127.0.0.1:{port}"
        monkeypatch.setenv("COLOPHON_DATAPREP_HOSTS", address)
        url = f"jdbc:postgresql://{address}/postgres?sslmode=disable"
        dataset = f"urn:li:dataset:(urn:li:dataPlatform:postgres,{address}/postgres.{schema}.orders,PROD)"
        connection = {"type": "jdbc", "url": url, "user": schema, "passwordSecret": "warehouse"}
        yield Table(connection, f"{schema}/orders", dataset)
    started.execute(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {schema}")


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_pipeline_of_a_table_writes_what_the_recipe_makes_of_it(
    database: str,
    request: pytest.FixtureRequest,
    spark: SparkSession,
    workspaces: Workspaces,
    catalog: Any,
    tmp_path: Path,
) -> None:
    table: Table = request.getfixturevalue(f"{database}_table")
    sink, rejected = tmp_path.resolve() / "out", tmp_path.resolve() / "rejected"
    document = workspaces.publish(
        table.connection, table.path, DIRECTIVES, sink, onRejected="write", rejected=str(rejected)
    )
    assert PASSWORD not in str(document)
    outcome = run_pipeline(check_and_prepare_pipeline("orders", document, load_plugins()), spark)
    assert (outcome.status, outcome.error) == ("succeeded", "")
    assert sorted(map(tuple, spark.read.parquet(str(sink)).collect())) == [(1, "Ada", 1.5), (2, "Bob", 2.0)]
    (wrong,) = spark.read.parquet(str(rejected)).collect()
    assert (wrong.line, wrong.row) == (2, '{"id": 3, "name": "Cyd", "amount": "many"}')
    run = catalog.read_run(outcome.run)
    assert run["facts"]["stage.wrangle.rejected"] == 1
    assert {(access["component"], access["data"], access["mode"]) for access in run["accesses"]} == {
        ("source", table.dataset, "read"),
        ("sink", _name_file(sink), "write"),
        ("rejected", _name_file(rejected), "write"),
    }
    graph = catalog.read_lineage(_name_file(sink), direction="upstream", levels=1, columns=True)
    columns = {
        (edge["sourceField"], edge["targetField"]) for edge in graph["columns"] if edge["source"] == table.dataset
    }
    assert {("name", "name"), ("amount", "amount")} <= columns


def _name_file(path: Path) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:file,{path},PROD)"
