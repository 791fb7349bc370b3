"""What polars reads, computes and writes, eagerly and lazily."""

import pytest


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "raw.csv").write_text("a,b,c\n1,2,x\n3,4,y\n")
    (notebook.folder / "other.csv").write_text("a,d\n1,9\n")
    assert notebook.run("import", "import polars as pl\nimport pandas as pd").error is None
    return notebook


def run(notebook, *cells):
    return {flow for flow in notebook.run_cells(*cells) if flow[2]}


def test_eager_frame_is_followed_from_cell_to_cell(notebook):
    flows = run(
        notebook,
        "raw = pl.read_csv('raw.csv')",
        "clean = raw.filter(pl.col('b') > 1).select('a', (pl.col('a') + pl.col('b')).alias('sum'))",
        "clean.write_parquet('out.parquet')",
    )
    assert flows == {
        ("c1", "raw.csv", "$c1.raw"),
        ("c2", "$c1.raw", "$c2.clean"),
        ("c3", "$c2.clean", "out.parquet"),
    }
    columns = notebook.list_columns()
    assert ("$c1.raw.a", "$c2.clean.sum", "transformation") in columns
    assert ("$c1.raw.b", "$c2.clean.a", "filter") in columns
    assert ("$c1.raw.c", "$c2.clean.c", "identity") not in columns


def test_lazy_plan_from_scan_to_sink(notebook):
    flows = run(
        notebook,
        "pl.scan_csv('raw.csv').group_by('c').agg(pl.col('b').sum().alias('total'), pl.len()).sort('c').sink_parquet('out.parquet')",
    )
    assert flows == {("c1", "raw.csv", "out.parquet")}
    columns = notebook.list_columns()
    assert ("raw.csv.c", "out.parquet.c", "identity") in columns
    assert ("raw.csv.b", "out.parquet.total", "aggregation") in columns
    assert ("raw.csv.c", "out.parquet.total", "group_by") in columns
    assert not [each for each in columns if each[0] == "raw.csv.a"]


def test_join_and_concat_have_both_sources(notebook):
    flows = run(
        notebook,
        "raw, other = pl.read_csv('raw.csv'), pl.read_csv('other.csv')\nraw.join(other, on='a', how='left').write_csv('joined.csv')",
        "pl.concat([raw.select('a'), other.select('a')]).write_csv('all.csv')",
    )
    assert {("c1", "raw.csv", "joined.csv"), ("c1", "other.csv", "joined.csv")} <= flows
    assert {("c2", "$c1.raw", "all.csv"), ("c2", "$c1.other", "all.csv")} <= flows
    columns = notebook.list_columns()
    assert ("other.csv.d", "joined.csv.d", "identity") in columns
    assert ("other.csv.a", "joined.csv.b", "join") in columns
    assert {("$c1.raw.a", "all.csv.a", "identity"), ("$c1.other.a", "all.csv.a", "identity")} <= columns


def test_series_and_pandas_are_followed(notebook):
    flows = run(
        notebook,
        "raw = pl.read_csv('raw.csv')\nmade = raw.with_columns((raw['a'] * 2).alias('double'))",
        "made.to_pandas().to_csv('out.csv', index=False)",
        "pl.from_pandas(pd.read_csv('other.csv')).write_csv('again.csv')",
    )
    assert ("c2", "$c1.made", "out.csv") in flows
    assert ("c3", "other.csv", "again.csv") in flows
    assert ("raw.csv.a", "$c1.made.double", "transformation") in notebook.list_columns()


def test_patterns_name_their_files(notebook):
    notebook.run("write", "for n in (1, 2): pl.DataFrame({'a': [n]}).write_parquet(f'part{n}.parquet')")
    flows = run(notebook, "pl.scan_parquet('part*.parquet').sink_csv('out.csv')")
    assert {("c1", "part1.parquet", "out.csv"), ("c1", "part2.parquet", "out.csv")} <= flows


def test_frame_that_the_program_makes_has_no_source(notebook):
    flows = run(notebook, "raw = pl.read_csv('raw.csv')\npl.DataFrame({'a': [1]}).write_csv('out.csv')")
    assert flows == {("c1", "", "out.csv")}


def test_failed_write_has_an_intended_output(notebook):
    cell = notebook.run("fail", "pl.read_csv('raw.csv').write_parquet('missing/out.parquet')")
    assert cell.error is not None
    notebook.list_flows()
    (failed,) = [each for each in cell.observations if each.failed]
    assert [notebook.shorten(ref) for ref in failed.intended] == ["missing/out.parquet"]
