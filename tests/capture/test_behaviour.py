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
