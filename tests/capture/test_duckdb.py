"""What DuckDB reads and writes: SQL, relations, files, attached databases, and values of the program."""

import pytest

START = "import duckdb\nimport pandas as pd"


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n3,4\n")
    (notebook.folder / "other.csv").write_text("a,c\n1,9\n")
    notebook.run("import", START)
    return notebook


def run(notebook, *cells):
    return {flow for flow in notebook.run_cells(*cells) if flow[2]}


def test_copy_moves_a_file_into_another_with_its_columns(notebook):
    flows = run(notebook, "duckdb.sql(\"COPY (SELECT a, b + 1 AS more FROM 'raw.csv' WHERE b > 0) TO 'out.parquet'\")")
    assert flows == {("c1", "raw.csv", "out.parquet")}
    assert notebook.list_columns() == {
        ("raw.csv.a", "out.parquet.a", "identity"),
        ("raw.csv.b", "out.parquet.a", "filter"),
        ("raw.csv.b", "out.parquet.more", "transformation"),
    }


def test_frames_that_are_appended_to_a_table(notebook):
    flows = run(
        notebook,
        "frame = pd.read_csv('raw.csv')\ncon = duckdb.connect('shop.duckdb')\ncon.execute('CREATE TABLE t (a INT, b INT)')",
        "con.append('t', frame)",
        "con.append('t', frame[['b', 'a']], by_name=True)",
    )
    table = "shop.duckdb.main.t"
    assert {flow for flow in flows if flow[0] != "c1"} == {
        ("c2", "$c1.frame", table),
        ("c3", "$c1.frame", table),
    }


def test_relation_is_followed_into_a_frame_and_a_file(notebook):
    flows = run(
        notebook,
        "relation = duckdb.sql(\"SELECT a, sum(b) AS total FROM read_csv('raw.csv') GROUP BY a\")",
        "frame = relation.filter('total > 1').df()",
        "frame.to_parquet('out.parquet')",
    )
    assert flows == {
        ("c1", "raw.csv", "$c1.relation"),
        ("c2", "$c1.relation", "$c2.frame"),
        ("c3", "$c2.frame", "out.parquet"),
    }
    assert ("$c2.frame.total", "out.parquet.total", "identity") in notebook.list_columns()
    assert ("raw.csv.b", "$c1.relation.total", "aggregation") in notebook.list_columns()


def test_frame_that_a_query_names_is_its_source(notebook):
    flows = run(
        notebook,
        "frame = pd.read_csv('raw.csv')",
        "joined = duckdb.query(\"SELECT f.a, o.c FROM frame f JOIN 'other.csv' o ON f.a = o.a\").df()",
        "joined.to_csv('out.csv')",
    )
    assert flows == {
        ("c1", "raw.csv", "$c1.frame"),
        ("c2", "$c1.frame", "$c2.joined"),
        ("c2", "other.csv", "$c2.joined"),
        ("c3", "$c2.joined", "out.csv"),
    }


def test_table_in_memory_is_a_step(notebook):
    flows = run(
        notebook,
        "con = duckdb.connect()\ncon.execute(\"CREATE TABLE t AS SELECT * FROM 'raw.csv'\")",
        "con.execute(\"COPY t TO 'out.parquet'\")",
    )
    assert flows == {("c1", "raw.csv", "$c1.t"), ("c2", "$c1.t", "out.parquet")}


def test_tables_of_files_are_datasets(notebook):
    flows = run(
        notebook,
        "con = duckdb.connect('shop.duckdb')\ncon.execute(\"CREATE TABLE orders AS SELECT * FROM 'raw.csv'\")",
        "con.execute('CREATE TABLE copy AS SELECT a FROM orders')",
        "con.execute(\"ATTACH 'lake.duckdb' AS lake\")\ncon.execute('INSERT INTO copy SELECT a FROM orders')\ncon.execute('CREATE TABLE lake.orders AS FROM copy')",
    )
    assert flows == {
        ("c1", "raw.csv", "shop.duckdb.main.orders"),
        ("c2", "shop.duckdb.main.orders", "shop.duckdb.main.copy"),
        ("c3", "shop.duckdb.main.orders", "shop.duckdb.main.copy"),
        ("c3", "shop.duckdb.main.copy", "lake.duckdb.main.orders"),
    }


def test_registered_frame_and_methods_of_relations(notebook):
    flows = run(
        notebook,
        "con = duckdb.connect()\ncon.register('seen', pd.read_csv('raw.csv'))",
        "con.sql('SELECT * FROM seen').project('a, b * 2 AS double').write_parquet('out.parquet')",
    )
    assert {source for _, source, target in flows if target == "out.parquet"} == {"$c1.unnamed"}
    assert ("$c1.unnamed.b", "out.parquet.double", "transformation") in notebook.list_columns()


@pytest.mark.parametrize(
    "code",
    [
        "duckdb.sql('SELECT 1 AS a').write_csv('out.csv')",
        "duckdb.sql(\"COPY (SELECT * FROM range(3)) TO 'out.csv'\")",
        "raw = pd.read_csv('raw.csv')\nduckdb.sql(\"COPY (SELECT 'raw' AS name) TO 'out.csv'\")",
    ],
)
def test_data_that_a_query_makes_has_no_source(notebook, code):
    assert {flow for flow in run(notebook, code) if flow[2] == "out.csv"} == {("c1", "", "out.csv")}


def test_failed_statement_has_an_intended_output(notebook):
    cell = notebook.run("fail", "duckdb.sql(\"COPY (SELECT error('x') FROM 'raw.csv') TO 'out.csv'\")")
    assert cell.error is not None
    assert not {flow for flow in notebook.list_flows() if flow[2]}
    (seen,) = [each for each in cell.observations if each.failed]
    assert [notebook.shorten(ref) for ref in seen.intended] == ["out.csv"]


def test_text_that_cannot_be_parsed_is_missing_lineage(notebook):
    cell = notebook.run("odd", 'duckdb.sql("COPY FROM DATABASE memory TO memory")')
    notebook.list_flows()
    assert [each.missing for each in cell.observations] in (
        [],
        [("data that was read by a query or a format that does not name a dataset",)],
    )


def test_queries_find_variables_of_functions_as_without_capture(notebook):
    notebook.run(
        "define",
        "def count(wanted):\n    rows = pd.read_csv('raw.csv')\n    return duckdb.sql('SELECT count(*) FROM rows').fetchall()[0][0]",
    )
    assert notebook.run("call", "found = count(1)").error is None
    assert notebook.variables["found"] == 2
    assert notebook.run("missing", "duckdb.sql('SELECT * FROM no_such_variable')").error is not None


@pytest.mark.parametrize(
    ("clauses", "controls"),
    [
        ("GROUP BY upper ORDER BY upper", {("a", "group_by")}),
        ("GROUP BY 1 ORDER BY 2", {("a", "group_by"), ("b", "sort")}),
        ("GROUP BY ALL", {("a", "group_by")}),
        ("GROUP BY ALL ORDER BY ALL", {("a", "group_by"), ("b", "sort")}),
        ("GROUP BY a HAVING total > 1", {("a", "group_by"), ("b", "filter")}),
    ],
)
def test_clauses_name_selected_expressions(notebook, clauses, controls):
    run(
        notebook,
        f"duckdb.sql(\"SELECT a + 1 AS upper, sum(b) AS total, 7 AS seven FROM 'raw.csv' {clauses}\").write_csv('out.csv')",
    )
    found = {(source, how) for source, target, how in notebook.list_columns() if target == "out.csv.seven"}
    assert found == {(f"raw.csv.{column}", how) for column, how in controls}
