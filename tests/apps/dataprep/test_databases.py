"""Connections to databases: PostgreSQL with a password that is a secret, and files of SQLite."""

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.dataprep import databases
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import BadRequest, NotFound
from support.catalog import ADA
from support.postgres import PostgresServer, get_or_start_server, open_tcp_port

Call = Callable[..., Any]
CANARY = "hunter2-CANARY"
HOSTS = "COLOPHON_DATAPREP_HOSTS"


@pytest.fixture
def sqlite_url(call: Call, data: Path) -> str:
    """The URL of a file of SQLite in the permitted folder, with the connection `lite`."""
    path = data / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            CREATE TABLE orders (id INTEGER NOT NULL, "unit price" REAL, note TEXT);
            INSERT INTO orders VALUES (1, 1.5, 'a'), (2, NULL, 'b'), (3, 2.5, 'c');
            CREATE VIEW cheap AS SELECT * FROM orders WHERE "unit price" < 2;
        """)
    url = f"jdbc:sqlite:{path}"
    call("PUT", "connections/lite", {"type": "jdbc", "url": url})
    return url


def test_tables_of_sqlite_are_browsed_and_sampled(call: Call, sqlite_url: str) -> None:
    assert call("GET", "connections/lite")["url"] == sqlite_url
    (schema,) = call("GET", "connections/lite/browse")["entries"]
    assert (schema["name"], schema["type"], schema["path"]) == ("main", "schema", "main")
    tables = call("GET", "connections/lite/browse", path="main")["entries"]
    assert [(table["name"], table["type"], table["canSample"]) for table in tables] == [
        ("cheap", "view", True),
        ("orders", "table", True),
    ]
    columns = call("GET", "connections/lite/browse", path="main/orders")["entries"]
    assert [(column["name"], column["dataType"], column["nullable"]) for column in columns] == [
        ("id", "INTEGER", False),
        ("unit price", "REAL", True),
        ("note", "TEXT", True),
    ]
    page = call("POST", "connections/lite/sample", {"path": "main/orders", "limit": 2})
    assert page["rows"] == [[1, 1.5, "a"], [2, None, "b"]]
    page = call("POST", "connections/lite/sample", {"query": "SELECT count(*) AS n FROM orders;"})
    assert page["rows"] == [[3]]
    tested = call("POST", "connections/test", {"type": "jdbc", "url": sqlite_url})
    assert tested["message"].startswith("SQLite 3.")


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM orders",
        "SELECT 1) AS a; DROP TABLE orders; --",
        "SELECT * FROM missing",
        "SELECT load_extension('x')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT zeroblob(1000000000) FROM n",
        "SELECT * FROM pragma_database_list",
    ],
)
def test_query_that_does_more_than_reading_is_refused(call: Call, sqlite_url: str, query: str) -> None:
    with pytest.raises(BadRequest, match="SQLite refuses it"):
        call("POST", "connections/lite/sample", {"query": query})
    assert call("POST", "connections/lite/sample", {"query": "SELECT count(*) FROM orders"})["rows"] == [[3]]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"type": "jdbc"}, "the member url"),
        ({"type": "jdbc", "url": "jdbc:mysql://db/x"}, "the member url must be jdbc:postgresql://"),
        ({"type": "jdbc", "url": f"jdbc:postgresql://ada:{CANARY}@db/x"}, "without user and password"),
        ({"type": "jdbc", "url": "jdbc:postgresql://db/x?sslpassword=a"}, "the member url must be"),
        ({"type": "jdbc", "url": "jdbc:postgresql://db.example/x", "password": CANARY}, "unknown member 'password'"),
        ({"type": "jdbc", "url": "jdbc:postgresql://db.example/x", "passwordSecret": "a/b"}, "name of a secret"),
        ({"type": "jdbc", "url": "jdbc:postgresql://10.0.0.1/x"}, "10.0.0.1:5432 is not a permitted one"),
        ({"type": "jdbc", "url": "jdbc:postgresql://db.example:22/x"}, "db.example:22 is not a permitted one"),
        ({"type": "jdbc", "url": "jdbc:sqlite:/etc/passwd"}, "is not a folder inside a permitted one"),
        ({"type": "kafka", "servers": "kafka.example"}, "the member servers must be host:port"),
        ({"type": "kafka", "servers": "db.example:5432,10.0.0.1:9092"}, "10.0.0.1:9092 is not a permitted one"),
        ({"type": "kafka", "servers": "db.example:5432", "user": "ada"}, "need the security SASL"),
        ({"type": "kafka", "servers": "db.example:5432", "security": "SASL_SSL", "user": "a"}, "passwordSecret"),
        ({"type": ["jdbc"]}, "the member type must be one of file, jdbc, kafka"),
        ([], "the body must be a JSON object"),
    ],
)
def test_invalid_connection_is_refused(
    call: Call, data: Path, monkeypatch: pytest.MonkeyPatch, document: Any, message: str
) -> None:
    monkeypatch.setenv(HOSTS, "db.example:5432, kafka.example")
    for method, path in (("PUT", "connections/new"), ("POST", "connections/test")):
        with pytest.raises(BadRequest, match=message) as refused:
            call(method, path, document)
        assert CANARY not in str(refused.value)
    assert call("GET", "connections") == {"connections": []}


def test_no_host_is_permitted_by_default(call: Call) -> None:
    with pytest.raises(BadRequest, match=f"no host is permitted: set the environment variable {HOSTS}"):
        call("PUT", "connections/new", {"type": "jdbc", "url": "jdbc:postgresql://localhost/x"})


@pytest.fixture
def postgres_address() -> Iterator[str]:
    with open_tcp_port(get_or_start_server()) as port:
        yield f"127.0.0.1:{port}"


@pytest.fixture
def warehouse(
    call: Call, catalog: Catalog, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """The document of a connection to a database of PostgreSQL, whose user needs a password; it is a secret."""
    server = get_or_start_server()
    user, schema = f"reader_{uuid.uuid4().hex[:8]}", f"shop_{uuid.uuid4().hex[:8]}"
    _require_password(server, user)
    server.execute(f"""
        CREATE ROLE {user} LOGIN PASSWORD '{CANARY}';
        CREATE SCHEMA {schema} AUTHORIZATION {user};
        SET ROLE {user};
        CREATE TABLE {schema}."odd / name" (id int NOT NULL, price numeric(8, 2), day date, more jsonb);
        INSERT INTO {schema}."odd / name" VALUES (1, 1.50, '2026-11-27', '{{"a": 1}}'), (2, NULL, NULL, NULL);
        CREATE VIEW {schema}.days AS SELECT day FROM {schema}."odd / name";
    """)
    monkeypatch.setenv(HOSTS, postgres_address)
    monkeypatch.setenv("PGPASSWORD", CANARY)
    catalog.secrets.put("sales", "warehouse", CANARY, "", ADA)
    document = {
        "type": "jdbc",
        "url": f"jdbc:postgresql://{postgres_address}/postgres?sslmode=disable",
        "user": user,
        "passwordSecret": "warehouse",
    }
    call("PUT", "connections/warehouse", document)
    yield document | {"schema": schema}
    server.execute(f"DROP SCHEMA {schema} CASCADE; DROP ROLE {user}")


def _require_password(server: PostgresServer, user: str) -> None:
    rules = server.folder / "data" / "pg_hba.conf"
    rules.write_text(f"local all {user} scram-sha-256\n{rules.read_text()}")
    server.execute("SELECT pg_reload_conf()")


def test_tables_of_postgresql_are_browsed_and_sampled(call: Call, warehouse: dict[str, str]) -> None:
    schema = warehouse.pop("schema")
    assert CANARY not in json.dumps(call("GET", "connections/warehouse"))
    assert call("POST", "connections/test", warehouse)["message"].startswith("PostgreSQL ")
    names = [entry["name"] for entry in call("GET", "connections/warehouse/browse")["entries"]]
    assert schema in names
    assert "pg_catalog" not in names
    tables = call("GET", "connections/warehouse/browse", path=schema)["entries"]
    assert [(table["name"], table["type"]) for table in tables] == [("days", "view"), ("odd / name", "table")]
    path = tables[1]["path"]
    columns = call("GET", "connections/warehouse/browse", path=path)["entries"]
    assert [(column["name"], column["dataType"], column["nullable"]) for column in columns] == [
        ("id", "integer", False),
        ("price", "numeric(8,2)", True),
        ("day", "date", True),
        ("more", "jsonb", True),
    ]
    page = call("POST", "connections/warehouse/sample", {"path": path})
    assert page["rows"] == [[1, 1.5, "2026-11-27", '{"a": 1}'], [2, None, None, None]]
    query = f"SELECT id, '5%' AS share FROM {schema}.\"odd / name\" ORDER BY id DESC"
    page = call("POST", "connections/warehouse/sample", {"query": query, "limit": 1})
    assert page["rows"] == [[2, "5%"]]
    with pytest.raises(NotFound):
        call("POST", "connections/warehouse/sample", {"path": f"{schema}/missing"})


def test_postgresql_is_only_read(call: Call, warehouse: dict[str, str]) -> None:
    table = f'{warehouse["schema"]}."odd / name"'
    for query in (
        f"DELETE FROM {table}",
        f"SELECT 1) AS a; DELETE FROM {table}; --",
        f"WITH gone AS (DELETE FROM {table} RETURNING id) SELECT * FROM gone",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT * FROM nowhere",
    ):
        with pytest.raises(BadRequest, match="PostgreSQL refuses it"):
            call("POST", "connections/warehouse/sample", {"query": query})
    counted = call("POST", "connections/warehouse/sample", {"query": f"SELECT count(*) FROM {table}"})
    assert counted["rows"] == [[2]]


def test_unusual_values_of_postgresql_are_shown_or_refused(call: Call, warehouse: dict[str, str]) -> None:
    query = """SELECT '"\\ud800"'::json AS a, '{"$date": "x"}'::json AS b, 'NaN'::numeric AS c, 10^30::numeric AS d"""
    page = call("POST", "connections/warehouse/sample", {"query": query})
    assert page["rows"] == [["?", '{"$date": "x"}', "nan", 1e30]]
    for query, reason in (
        ("SELECT (repeat('[', 900) || repeat(']', 900))::json", "a value is nested too deeply"),
        ("SELECT 'infinity'::date", "PostgreSQL refuses it: date too large"),
        ("SELECT set_config('client_encoding', 'LATIN1', false), 'é'", "not in the encoding of the connection"),
    ):
        with pytest.raises(BadRequest, match=reason):
            call("POST", "connections/warehouse/sample", {"query": query})


def test_query_cannot_remove_the_time_limit(
    call: Call, warehouse: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "_READING_S", 1.0)
    # The first rows are read before the limit of the server is removed.
    query = """SELECT set_config('statement_timeout', '0', false) FROM generate_series(1, 300)
        UNION ALL SELECT pg_sleep(86400)::text"""
    with pytest.raises(BadRequest, match="canceling statement"):
        call("POST", "connections/warehouse/sample", {"query": query})


def test_password_is_that_of_the_secret_alone(call: Call, catalog: Catalog, warehouse: dict[str, str]) -> None:
    catalog.secrets.put("sales", "warehouse", "wrong", "", ADA)
    with pytest.raises(BadRequest, match="password authentication failed"):
        call("GET", "connections/warehouse/browse")
    catalog.secrets.delete("sales", "warehouse", ADA)
    with pytest.raises(BadRequest, match="names the secret warehouse, which the namespace does not have"):
        call("GET", "connections/warehouse/browse")
    # The server's own credentials are not used.
    call("PUT", "connections/warehouse", {name: warehouse[name] for name in ("type", "url", "user")})
    with pytest.raises(BadRequest, match="no password supplied"):
        call("GET", "connections/warehouse/browse")


def test_password_is_stored_as_a_secret_by_the_caller(call: Call, catalog: Catalog) -> None:
    stored = call("PUT", "secrets/warehouse", {"value": CANARY, "description": "Warehouse"})
    assert stored == {"name": "warehouse", "description": "Warehouse"}
    assert call("GET", "secrets") == {"secrets": [stored]}
    assert catalog.secrets.read_value("sales", "warehouse", ADA) == CANARY
    for body, message in (({}, "the member value"), ({"value": CANARY, "more": 1}, "unknown member 'more'")):
        with pytest.raises(BadRequest, match=message) as refused:
            call("PUT", "secrets/warehouse", body)
        assert CANARY not in str(refused.value)
    for name, value, message in (("a b", CANARY, "name of a secret"), ("warehouse", "", "the member value must be")):
        with pytest.raises(BadRequest, match=message):
            call("PUT", f"secrets/{name}", {"value": value})


def test_workspace_of_a_table_becomes_a_pipeline_and_a_cell(call: Call, warehouse: dict[str, str]) -> None:
    path = f"{warehouse['schema']}/odd%20%2F%20name"
    workspace = call("POST", "workspaces", {"name": "Orders", "connection": "warehouse", "path": path})
    assert (workspace["source"]["type"], workspace["source"]["path"]) == ("jdbc", path)
    assert CANARY not in json.dumps(workspace)
    read = call("GET", f"workspaces/{workspace['id']}/pipeline", sink="/tmp/out")["metadata"]["stages"][0]
    assert (read["plugin"], read["properties"]) == (
        "jdbc",
        {
            "url": warehouse["url"],
            "table": f'"{warehouse["schema"]}"."odd / name"',
            "driver": "org.postgresql.Driver",
            "user": warehouse["user"],
            "password_from": "COLOPHON_SECRET_WAREHOUSE",
        },
    )
    cell = call("GET", f"workspaces/{workspace['id']}/cell", library="pyspark")["source"]
    compile(cell, "cell", "exec")
    assert "os.environ['COLOPHON_SECRET_WAREHOUSE']" in cell
    with pytest.raises(BadRequest, match="the source is not a file: use the library pyspark"):
        call("GET", f"workspaces/{workspace['id']}/cell", library="pandas")
