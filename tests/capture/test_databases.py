"""What programs read and write in databases, through SQLAlchemy, sqlite3, psycopg and pandas."""

import sqlite3
import traceback

import psycopg
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


def test_names_of_sqlite_have_no_case_and_rows_are_replaced(notebook):
    flows = notebook.run_cells(
        "con = sqlite3.connect('shop.sqlite')\ncon.execute('REPLACE INTO Totals SELECT amount FROM ORDERS')\ncon.commit()\ncon.close()"
    )
    assert flows == {("c1", SHOP, "shop.sqlite.totals")}


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


@pytest.mark.parametrize("owner", ["con", "con.cursor()"])
@pytest.mark.parametrize(
    "call",
    [
        "execute('SELECT * FROM missing')",
        "execute('SELECT ?', (1, 2))",
        "execute(1)",
        "execute()",
        "executemany('SELECT 1')",
        "executescript('bad')",
        "missing",
        "__reduce_ex__(2)",
    ],
)
def test_errors_of_the_database_stay_as_they_are(notebook, owner, call):
    code = f"{owner}.{call}"
    with sqlite3.connect("shop.sqlite") as connection, pytest.raises(Exception) as expected:  # noqa: PT011  compared below
        eval(code, {"con": connection})
    connection.close()
    outcome = notebook.run("fail", f"con = sqlite3.connect('shop.sqlite')\n{code}")
    assert (type(outcome.error), str(outcome.error)) == (expected.type, str(expected.value))
    frames = traceback.extract_tb(outcome.error.__traceback__)
    assert {frame.filename for frame in frames[2:]} <= {"<sqlite3>"}
    assert len(frames[2:]) <= 1
    assert notebook.list_flows() == set()
    assert type(notebook.variables["con"]).__name__ == "Connection"


def test_statements_of_psycopg_on_postgresql(notebook):
    dsn = get_or_start_server().dsn
    flows = notebook.run_cells(
        f"import psycopg\ncon = psycopg.connect({dsn!r}, autocommit=True)\n"
        "con.execute('CREATE TABLE public.captured AS SELECT 1 AS a')",
        "with con.cursor() as cursor:\n    cursor.execute('CREATE TABLE public.more AS SELECT a + %s AS b FROM captured', [1])",
        "con.execute('DROP TABLE captured')\ncon.execute('DROP TABLE more')\ncon.close()",
    )
    ((_, source, target),) = [flow for flow in flows if flow[0] == "c2"]
    assert (source, target) == ("localhost:5432/postgres.public.captured", "localhost:5432/postgres.public.more")


def test_copies_of_psycopg_on_postgresql(notebook):
    dsn = get_or_start_server().dsn
    flows = notebook.run_cells(
        f"import asyncio, psycopg\ncon = psycopg.connect({dsn!r}, autocommit=True)\n"
        "con.execute('CREATE TABLE copied_from (a int, b text)')\ncon.execute('CREATE TEMP TABLE passing (a int)')",
        "with con.cursor() as cursor, cursor.copy('COPY copied_from (a, b) FROM STDIN (FORMAT csv, HEADER false)') as copy:\n"
        "    copy.write('1,x\\n')",
        "with con.cursor() as cursor, cursor.copy('COPY (SELECT a, b FROM copied_from WHERE a > 0) TO STDOUT (FORMAT text)') as copy:\n"
        "    rows = list(copy.rows())\npd.DataFrame(rows).to_csv('copied.csv')",
        "with con.cursor() as cursor, cursor.copy('COPY passing FROM STDIN') as copy:\n    copy.write_row((1,))",
        "async def read():\n"
        f"    async with await psycopg.AsyncConnection.connect({dsn!r}) as own, own.cursor() as cursor:\n"
        "        async with cursor.copy('COPY public.copied_from TO STDOUT') as copy:\n"
        "            return [row async for row in copy.rows()]\n"
        "assert len(asyncio.run(read())) == 1",
    )
    named = {(cell, *(name.removeprefix("localhost:5432/postgres.public.") for name in ends)) for cell, *ends in flows}
    assert named == {
        ("c2", "", "copied_from"),
        ("c3", "copied_from", ""),
        ("c3", "copied_from", "copied.csv"),
        ("c5", "copied_from", ""),
    }
    code = "with con.cursor() as cursor, cursor.copy('COPY copied_from FROM STDIN (FORMAT csv)') as copy:\n    copy.write('x,y,z\\n')"
    assert notebook.run("fails", code).error is not None
    notebook.run("end", "con.execute('DROP TABLE copied_from')\ncon.close()")
    notebook.list_flows()
    (failed,) = notebook.runs[-2].observations
    assert (failed.failed, failed.writes, len(failed.intended)) == (True, (), 1)


def test_table_is_one_dataset_with_its_schema_and_without(notebook):
    dsn = get_or_start_server().dsn
    host = psycopg.conninfo.conninfo_to_dict(dsn)["host"]
    flows = notebook.run_cells(
        f"import psycopg\ncon = psycopg.connect({dsn!r}, autocommit=True)\n"
        "con.execute('CREATE SCHEMA lake')\ncon.execute('CREATE TABLE Public.Named AS SELECT 1 AS a')",
        "con.execute('CREATE TEMP TABLE step AS SELECT a FROM named')",
        "con.execute('CREATE TABLE lake.first AS SELECT a FROM step')\ncon.execute('SET search_path TO lake, public')\n"
        "con.execute('CREATE TABLE copied AS SELECT a FROM public.NAMED')",
        f"url = sqlalchemy.URL.create('postgresql+psycopg', 'colophon', database='postgres', query={{'host': {host!r}}})\n"
        "pd.read_sql('SELECT a FROM named', sqlalchemy.create_engine(url)).to_csv('out.csv')",
        "con.execute('DROP TABLE public.named')\ncon.execute('DROP SCHEMA lake CASCADE')\ncon.close()",
    )
    names = {
        (cell, source.removeprefix("localhost:5432/"), target.removeprefix("localhost:5432/"))
        for cell, source, target in flows
    }
    assert {flow for flow in names if flow[2]} == {
        ("c1", "", "postgres.public.named"),
        ("c2", "postgres.public.named", "$c2.step"),
        ("c3", "$c2.step", "postgres.lake.first"),
        ("c3", "postgres.public.named", "postgres.lake.copied"),
        ("c4", "postgres.public.named", "out.csv"),
    }


def test_databases_of_packages_are_not_data(notebook):
    from IPython.core.history import HistoryAccessor

    notebook.variables["HistoryAccessor"] = HistoryAccessor
    outcome = notebook.run(
        "history", "history = HistoryAccessor(hist_file='history.sqlite')\nlast = history.get_last_session_id()"
    )
    assert outcome.error is None, outcome.error
    assert notebook.list_flows() == set()
