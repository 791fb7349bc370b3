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
        "for given in (rows, rows.slice(0, 0)):\n    merge = table.merge(given, 'target.a = source.a', 'source', 'target')\n"
        "    merge.when_not_matched_insert_all().execute()\ntable.delete('a = 99')",
    )
    assert list_versions(notebook, "c1") == [("0",)]
    assert list_versions(notebook, "c2") == [("1",), ("2",)]
    assert list_versions(notebook, "c3") == [("0",), ("2",)]
    # The second merge and the deletion changed nothing.
    assert list_versions(notebook, "c4") == [("3",), (), ()]


def test_writes_of_delta_lake_by_path_have_versions(notebook):
    notebook.run_cells(
        "import pyarrow as pa\nfrom deltalake import write_deltalake\nrows = pa.table({'a': [1, 2]})\n"
        "for mode in ('error', 'append', 'ignore', 'overwrite'):\n    write_deltalake('lake', rows, mode=mode)",
        "import polars as pl\npl.DataFrame({'a': [3]}).write_delta('lake', mode='append')",
    )
    assert notebook.run("c3", "write_deltalake('lake', rows, mode='error')").error is not None
    notebook.list_flows()
    assert list_versions(notebook, "c1") == [("0",), ("1",), ("2",)]
    assert list_versions(notebook, "c2") == [("3",)]
    assert list_versions(notebook, "c3") == []


def test_versions_of_tables_of_iceberg(notebook):
    (notebook.folder / "shops.csv").write_text("shop,town\na,Bern\n")
    notebook.run_cells(
        CREATE + "empty = table.scan().to_arrow()",
        "table.append(shops)\ntable.append(shops)\nids = [str(each.snapshot_id) for each in table.snapshots()]",
        "first = table.scan(snapshot_id=int(ids[0])).to_arrow()\nlast = table.scan().to_pandas()",
        "with table.transaction() as change:\n    change.append(shops)\n    change.delete(\"shop = 'a'\")\n"
        "staged = [str(each.snapshot_id) for each in table.snapshots()][2:]",
        "table.append(shops)\ntable.upsert(shops, ['shop'])\ntable.delete(\"shop = 'none'\")\ntable.delete(\"shop = 'a'\")\n"
        "rest = [str(each.snapshot_id) for each in table.snapshots()][4:]",
    )
    first, last = notebook.variables["ids"]
    # A variable between cells has no version.
    assert set(list_versions(notebook, "c1")) == {()}
    assert [each for each in list_versions(notebook, "c2") if each] == [(first,), (last,)]
    assert list_versions(notebook, "c3") == [(first,), (last,)]
    appended, deleted = notebook.variables["staged"]
    assert [each for each in list_versions(notebook, "c4") if each] == [(appended,), (deleted,)]
    again, removed = notebook.variables["rest"]
    # Neither the upsert nor the first deletion changed anything.
    assert [each for each in list_versions(notebook, "c5") if each] == [(again,), (removed,)]
