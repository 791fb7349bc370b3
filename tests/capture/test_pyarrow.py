"""The files that pyarrow reads and writes."""

import pytest

START = "import pyarrow as pa, pyarrow.parquet as pq, pyarrow.csv as pc, pyarrow.feather as pf, pyarrow.dataset as ds"


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n3,4\n")
    assert notebook.run("import", START).error is None
    return notebook


def run(notebook, *cells):
    return {flow for flow in notebook.run_cells(*cells) if flow[2]}


def test_table_is_followed_from_file_to_file(notebook):
    flows = run(
        notebook,
        "table = pc.read_csv('raw.csv')\npq.write_table(table, 'out.parquet')",
        "pf.write_feather(table, 'out.feather')",
    )
    assert flows == {
        ("c1", "raw.csv", "out.parquet"),
        ("c1", "raw.csv", "$c1.table"),
        ("c2", "$c1.table", "out.feather"),
    }
    assert ("raw.csv.a", "out.parquet.a", "identity") in notebook.list_columns()


def test_tables_that_are_computed_are_followed_by_name(notebook):
    flows = run(
        notebook,
        "table = pc.read_csv('raw.csv')",
        "small = table.select(['a'])\nframe = small.to_pandas()",
        "pq.write_table(pa.Table.from_pandas(frame), 'out.parquet')",
    )
    assert {
        ("c1", "raw.csv", "$c1.table"),
        ("c2", "$c1.table", "$c2.frame"),
        ("c3", "$c2.frame", "out.parquet"),
    } <= flows


def test_dataset_of_a_folder(notebook):
    flows = run(
        notebook,
        "ds.write_dataset(pc.read_csv('raw.csv'), 'lake', format='parquet', partitioning=['a'])",
        "dataset = ds.dataset('lake', format='parquet')\ntable = dataset.to_table()\npq.write_table(table, 'out.parquet')",
    )
    assert {("c1", "raw.csv", "lake"), ("c2", "lake", "out.parquet")} <= flows


def test_writer_that_stays_open_and_file_that_is_read_in_parts(notebook):
    flows = run(
        notebook,
        "table = pc.read_csv('raw.csv')\nwith pq.ParquetWriter('out.parquet', table.schema) as writer:\n    writer.write_table(table)",
        "pq.write_table(pq.ParquetFile('out.parquet').read(), 'again.parquet')",
    )
    assert {("c1", "raw.csv", "out.parquet"), ("c2", "out.parquet", "again.parquet")} <= flows


def test_buffers_are_no_datasets(notebook):
    flows = run(notebook, "sink = pa.BufferOutputStream()\npq.write_table(pc.read_csv('raw.csv'), sink)")
    assert flows == set()
