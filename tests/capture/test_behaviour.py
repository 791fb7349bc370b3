"""Lineage that must not be recorded: names of SQL that stand for something else than what is called so."""

import pytest

READ = "import duckdb\nimport pandas as pd\nframe = pd.read_csv('a.csv')\nother = pd.read_csv('b.csv')"


def run(notebook, *cells):
    (notebook.folder / "a.csv").write_text("id,v,w\n1,2,3\n")
    (notebook.folder / "b.csv").write_text("id,v,x\n1,9,8\n")
    for number, code in enumerate((READ, *cells)):
        outcome = notebook.run(f"c{number}", code)
        assert outcome.error is None, outcome.error
    return notebook.list_flows()


@pytest.mark.parametrize(
    "query",
    [
        "WITH Other AS (SELECT id FROM frame) SELECT id FROM other",
        "WITH other AS (SELECT id FROM frame), last AS (SELECT id FROM other) SELECT id FROM last",
        "SELECT id FROM (WITH other AS (SELECT id FROM frame) SELECT id FROM other)",
        "WITH frame AS (SELECT id FROM frame) SELECT id FROM frame",
    ],
)
def test_part_of_a_query_hides_a_variable(notebook, query):
    flows = run(notebook, f"duckdb.sql({query!r}).write_csv('out.csv')")
    assert {read for _, read, write in flows if write == "out.csv"} == {"$c0.frame"}


def test_parts_before_an_insert_are_those_of_its_query(notebook):
    flows = run(
        notebook,
        "con = duckdb.connect('d.duckdb')\ncon.execute('CREATE TABLE t (id INT)')\n"
        "con.execute('WITH x AS (SELECT id FROM frame) INSERT INTO t (id) SELECT id FROM x')\ncon.close()",
    )
    assert {read for _, read, write in flows if write == "d.duckdb.main.t"} == {"$c0.frame"}
    assert ("$c0.frame.id", "d.duckdb.main.t.id", "identity") in notebook.list_columns()


@pytest.mark.parametrize(
    "code",
    [
        "con = duckdb.connect()\ncon.execute('CREATE TABLE frame AS SELECT 1 AS id')\ncon.execute('SELECT * FROM frame').df().to_csv('out.csv')\ncon.close()",
        "def select():\n    frame = pd.DataFrame({'id': [1]})\n    return duckdb.sql('SELECT id FROM frame')\nselect().write_csv('out.csv')",
    ],
)
def test_table_and_local_variable_hide_a_global_variable(notebook, code):
    flows = run(notebook, code)
    assert {read for _, read, write in flows if write == "out.csv"} == {""}


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT * REPLACE (w + id AS v) FROM frame", {("id", "id"), ("id", "v"), ("w", "v"), ("w", "w")}),
        ("SELECT * RENAME (v AS z) FROM frame", {("id", "id"), ("v", "z"), ("w", "w")}),
        ("SELECT id, v FROM frame UNION ALL BY NAME SELECT v, id FROM other", set()),
    ],
)
def test_columns_that_are_replaced_or_matched_by_name(notebook, query, columns):
    run(notebook, f"duckdb.sql({query!r}).write_csv('out.csv')")
    found = {
        (source.rpartition(".")[2], target) for source, target, _ in notebook.list_columns() if "out.csv" in target
    }
    assert found == {(source, f"out.csv.{target}") for source, target in columns}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("pd.DataFrame.ffill(inplace=True)", "NDFrame.ffill() missing 1 required positional argument: 'self'"),
        ("pd.DataFrame.__init__()", "DataFrame.__init__() missing 1 required positional argument: 'self'"),
        ("pl.DataFrame.write_csv()", "DataFrame.write_csv() missing 1 required positional argument: 'self'"),
        ("sqlite3.connect()", "Connection() missing required argument 'database' (pos 1)"),
        ("sqlite3.connect(':memory:').execute(sql='')", "Connection.execute() takes no keyword arguments"),
        ("sqlite3.connect(':memory:').cursor(None)", "'NoneType' object is not callable"),
    ],
)
def test_wrong_arguments_have_the_errors_of_the_library(notebook, code, error):
    cell = notebook.run("run", f"import pandas as pd, polars as pl, sqlite3\n{code}")
    assert (type(cell.error), str(cell.error)) == (TypeError, error)
    assert notebook.list_flows() == set()


def test_receiver_that_is_passed_by_name(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    flows = notebook.run_cells(
        "import pandas as pd, polars as pl\nframe = pd.read_csv('raw.csv')\nrows = pl.read_csv('raw.csv')\n"
        "pd.DataFrame.to_csv(self=pd.DataFrame.copy(self=frame), path_or_buf='pandas.csv')\n"
        "pl.DataFrame.write_csv(self=pl.DataFrame.select(self=rows), file='polars.csv')",
        "pd.DataFrame.drop(self=frame, columns=['a'], inplace=True)\nframe.to_csv('dropped.csv', index=False)",
    )
    assert {
        ("c1", "raw.csv", "pandas.csv"),
        ("c1", "raw.csv", "polars.csv"),
        ("c2", "$c1.frame", "dropped.csv"),
    } <= flows
    assert ("$c1.frame.b", "dropped.csv.b", "identity") in notebook.list_columns()


def test_functions_of_elements_that_polars_cannot_see_into(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    cell = notebook.run(
        "run",
        "import polars as pl\nrows = pl.read_csv('raw.csv').with_row_index()\n"
        "rows.select(pl.col('index', 'a').map_elements(abs, return_dtype=pl.Int64)).write_csv('out.csv')",
    )
    assert cell.error is None, cell.error
    assert ("run", "raw.csv", "out.csv") in notebook.list_flows()
    assert notebook.list_columns() == {("raw.csv.a", "out.csv.a", "transformation")}


def test_connections_look_like_those_of_sqlite3(notebook):
    notebook.run("run", "import sqlite3\ncon = sqlite3.connect(':memory:')\ncursor = con.cursor()")
    con, cursor = notebook.variables["con"], notebook.variables["cursor"]
    assert repr(type(con)) == "<class 'sqlite3.Connection'>"
    assert repr(type(cursor)) == "<class 'sqlite3.Cursor'>"
    assert not hasattr(con, "__dict__")
    assert not hasattr(cursor, "__dict__")
