"""What programs read and write in databases, through SQLAlchemy, sqlite3, psycopg and pandas."""

import sqlite3

import pytest
from support.postgres import get_or_start_server

START = "import sqlite3\nimport pandas as pd\nimport sqlalchemy\nfrom sqlalchemy import text"
SHOP = "shop.sqlite.orders"


@pytest.fixture
def notebook(notebook):
    with sqlite3.connect(notebook.folder / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, amount REAL)")
        connection.execute("INSERT INTO orders VALUES (1, 2.5), (2, 7)")
        connection.execute("CREATE TABLE totals (total REAL)")
    connection.close()
    outcome = notebook.run("import", f"{START}\nengine = sqlalchemy.create_engine('sqlite:///shop.sqlite')")
    assert outcome.error is None, outcome.error
    return notebook


@pytest.mark.parametrize(
    "connection", ["engine", "engine.connect()", "sqlite3.connect('shop.sqlite')", "'sqlite:///shop.sqlite'"]
)
def test_query_into_a_frame_is_followed_to_its_tables(notebook, connection):
    flows = notebook.run_cells(
        f"frame = pd.read_sql('SELECT id, amount * 2 AS double FROM orders WHERE id > 1', {connection})",
        "frame.to_csv('out.csv', index=False)",
    )
    assert ("c1", SHOP, "$c1.frame") in flows
    assert ("c2", "$c1.frame", "out.csv") in flows
    assert (f"{SHOP}.amount", "$c1.frame.double", "transformation") in notebook.list_columns()


def test_statement_that_moves_data_inside_the_database(notebook):
    flows = notebook.run_cells(
        "with engine.begin() as connection:\n    connection.execute(text('INSERT INTO totals (total) SELECT sum(amount) FROM orders'))",
    )
    assert flows == {("c1", SHOP, "shop.sqlite.totals")}
    assert notebook.list_columns() == {(f"{SHOP}.amount", "shop.sqlite.totals.total", "aggregation")}


def test_statements_of_sqlite3_with_parameters(notebook):
    flows = notebook.run_cells(
        "con = sqlite3.connect('shop.sqlite')\ncon.executemany('INSERT INTO orders VALUES (?, ?)', [(3, 1.0), (4, 2.0)])\ncon.commit()",
        "rows = con.execute('SELECT id FROM orders WHERE id = :id', {'id': 3}).fetchall()\ncon.close()",
    )
    assert flows == {("c1", "", SHOP), ("c2", SHOP, "")}


def test_temporary_table_is_a_step(notebook):
    flows = notebook.run_cells(
        "con = sqlite3.connect('shop.sqlite')\ncon.execute('CREATE TEMP TABLE big AS SELECT * FROM orders WHERE amount > 5')",
        "con.execute('INSERT INTO totals SELECT amount FROM big')\ncon.commit()\ncon.close()",
    )
    assert ("c2", "$c1.big", "shop.sqlite.totals") in flows
    assert ("c1", SHOP, "$c1.big") in flows


def test_orm_is_captured(notebook):
    flows = notebook.run_cells(
        "from sqlalchemy.orm import Session, declarative_base\nBase = declarative_base()\n"
        "class Order(Base):\n    __tablename__ = 'orders'\n    id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)\n    amount = sqlalchemy.Column(sqlalchemy.Float)",
        "with Session(engine) as session:\n    session.add(Order(id=9, amount=1))\n    session.commit()\n    count = len(session.scalars(sqlalchemy.select(Order)).all())",
    )
    assert {("c2", "", SHOP), ("c2", SHOP, "")} <= flows


def test_database_in_memory_has_no_datasets(notebook):
    flows = notebook.run_cells(
        "con = sqlite3.connect(':memory:')\ncon.execute('CREATE TABLE t AS SELECT 1 AS a')\nframe = pd.read_sql('SELECT a FROM t', con)\nframe.to_csv('out.csv')",
    )
    assert flows == {("c1", "", "out.csv")}


def test_connections_behave_as_before(notebook):
    outcome = notebook.run(
        "behave",
        "class Own(sqlite3.Connection):\n    pass\n"
        "own = sqlite3.connect(':memory:', factory=Own)\nplain = sqlite3.connect(':memory:')\n"
        "plain.row_factory = sqlite3.Row\nrow = plain.execute('SELECT 1 AS one').fetchone()\n"
        "plain.executescript('CREATE TABLE a (x); CREATE TABLE b (x);')\n"
        "with plain:\n    plain.execute('INSERT INTO a VALUES (1)')\n"
        "cursor = plain.cursor(sqlite3.Cursor)\n",
    )
    assert outcome.error is None, outcome.error
    variables = notebook.variables
    assert type(variables["own"]).__name__ == "Own"
    assert variables["row"]["one"] == 1
    assert type(variables["cursor"]) is sqlite3.Cursor


def test_errors_of_the_database_stay_as_they_are(notebook):
    outcome = notebook.run("fail", "con = sqlite3.connect('shop.sqlite')\ncon.execute('SELECT * FROM missing')")
    assert isinstance(outcome.error, sqlite3.OperationalError)
    assert notebook.list_flows() == set()


def test_statements_of_psycopg_on_postgresql(notebook):
    dsn = get_or_start_server().dsn
    flows = notebook.run_cells(
        f"import psycopg\ncon = psycopg.connect({dsn!r}, autocommit=True)\n"
        "con.execute('CREATE TABLE public.captured AS SELECT 1 AS a')",
        "with con.cursor() as cursor:\n    cursor.execute('CREATE TABLE public.more AS SELECT a + %s AS b FROM captured', [1])",
        "con.execute('DROP TABLE captured')\ncon.execute('DROP TABLE more')\ncon.close()",
    )
    ((_, source, target),) = [flow for flow in flows if flow[0] == "c2"]
    assert (source, target) == ("localhost:5432/postgres.captured", "localhost:5432/postgres.public.more")


def test_databases_of_packages_are_not_data(notebook):
    from IPython.core.history import HistoryAccessor

    notebook.variables["HistoryAccessor"] = HistoryAccessor
    outcome = notebook.run(
        "history", "history = HistoryAccessor(hist_file='history.sqlite')\nlast = history.get_last_session_id()"
    )
    assert outcome.error is None, outcome.error
    assert notebook.list_flows() == set()
