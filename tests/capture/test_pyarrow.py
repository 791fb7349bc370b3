"""The files that pyarrow reads and writes."""

from types import SimpleNamespace

import pytest
from jupyter_colophon.capture.file_systems import resolve_path
from jupyter_colophon.capture.locations import list_locations

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


FILES = "table = pc.read_csv('raw.csv')\nfor name in ('one.parquet', 'two.parquet'):\n    pq.write_table(table, name)"


@pytest.mark.parametrize(
    "read",
    [
        "pq.read_table(['one.parquet', 'two.parquet'])",
        "pq.ParquetDataset(['one.parquet', 'two.parquet']).read()",
        "ds.dataset(['one.parquet', 'two.parquet']).to_table()",
        "ds.dataset([ds.dataset('one.parquet'), ds.dataset('two.parquet')]).to_table()",
    ],
)
def test_files_that_are_read_at_once_are_all_named(notebook, read):
    flows = run(notebook, FILES, f"both = {read}\nds.write_dataset(both, 'lake', format='parquet', partitioning=['b'])")
    assert {flow for flow in flows if flow[0] == "c2"} == {("c2", "one.parquet", "lake"), ("c2", "two.parquet", "lake")}


def test_paths_in_a_file_system_are_named_by_it(notebook):
    flows = run(
        notebook,
        FILES + "\nimport fsspec, pandas as pd, pyarrow.fs as fs\nhere = str(__import__('pathlib').Path().absolute())\n"
        "below, memory = fs.SubTreeFileSystem(here, fs.LocalFileSystem()), fsspec.filesystem('memory')",
        "first = pq.read_table('one.parquet', filesystem=below)\n"
        "pq.write_table(first, f'{here}/out.parquet', filesystem=fs.LocalFileSystem())",
        "frame = pd.read_parquet('two.parquet', filesystem=below)\nframe.to_parquet('framed.parquet', filesystem=below)",
        "pq.write_table(first, '/lost.parquet', filesystem=memory)\npq.write_table(first, 'kept.parquet')",
    )
    assert {flow for flow in flows if flow[0] != "c1" and not flow[2].startswith("$")} == {
        ("c2", "one.parquet", "out.parquet"),
        ("c3", "two.parquet", "framed.parquet"),
        ("c4", "$c2.first", "kept.parquet"),
    }


@pytest.mark.parametrize(
    ("type_name", "path", "location"),
    [
        ("s3", "bucket/x.parquet", ["s3://bucket/x.parquet"]),
        ("gcs", "bucket/x.parquet", ["gs://bucket/x.parquet"]),
        ("mock", "x.parquet", []),
    ],
)
def test_kinds_of_file_systems_of_arrow(type_name, path, location):
    assert list_locations(resolve_path(path, SimpleNamespace(type_name=type_name))) == location


def test_buffers_are_no_datasets(notebook):
    flows = run(notebook, "sink = pa.BufferOutputStream()\npq.write_table(pc.read_csv('raw.csv'), sink)")
    assert flows == set()
