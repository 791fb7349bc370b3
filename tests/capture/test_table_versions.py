"""The versions of tables of Delta Lake and Iceberg that cells read and write."""

from capture.corpus.pyiceberg_cases import CREATE


def list_versions(notebook, cell):
    (run,) = [each for each in notebook.runs if each.cell_id == cell]
    return [ref.versions for seen in run.observations for ref in (*seen.reads, *seen.writes) if ref.format != "csv"]


def test_versions_of_tables_of_delta_lake(notebook):
    notebook.run_cells(
        "import pyarrow as pa\nfrom deltalake import DeltaTable, write_deltalake\nrows = pa.table({'a': [1, 2]})\n"
        "write_deltalake('lake', rows)",
        "table = DeltaTable('lake')\nwrite_deltalake(table, rows, mode='append')\ntable.delete('a = 2')",
        "first = DeltaTable('lake', version=0).to_pandas()\nlast = table.to_pyarrow_table()",
    )
    assert list_versions(notebook, "c1") == [()]
    assert list_versions(notebook, "c2") == [("1",), ("2",)]
    assert list_versions(notebook, "c3") == [("0",), ("2",)]


def test_versions_of_tables_of_iceberg(notebook):
    (notebook.folder / "shops.csv").write_text("shop,town\na,Bern\n")
    notebook.run_cells(
        CREATE + "empty = table.scan().to_arrow()",
        "table.append(shops)\ntable.append(shops)\nids = [str(each.snapshot_id) for each in table.snapshots()]",
        "first = table.scan(snapshot_id=int(ids[0])).to_arrow()\nlast = table.scan().to_pandas()",
        "with table.transaction() as change:\n    change.append(shops)",
    )
    first, last = notebook.variables["ids"]
    # A variable between cells has no version.
    assert set(list_versions(notebook, "c1")) == {()}
    assert [each for each in list_versions(notebook, "c2") if each] == [(first,), (last,)]
    assert list_versions(notebook, "c3") == [(first,), (last,)]
    assert set(list_versions(notebook, "c4")) == {()}
