"""Lineage across cells: values are followed from the cell that read data to the cell that writes it."""

from jupyter_colophon.capture import data_capture


def test_read_in_one_cell_and_written_in_another_is_a_chain(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n3,4\n")
    notebook.run("read", "import pandas as pd\nraw = pd.read_csv('raw.csv')")
    notebook.run("clean", "clean = raw.dropna()")
    notebook.run("write", "clean.to_csv('clean.csv', index=False)")
    assert notebook.list_flows() == {
        ("read", "raw.csv", ""),
        ("read", "raw.csv", "$read.raw"),
        ("clean", "$read.raw", "$clean.clean"),
        ("write", "$clean.clean", "clean.csv"),
    }


def test_value_that_is_written_by_no_cell_is_no_variable(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    notebook.run("read", "import pandas as pd\nraw = pd.read_csv('raw.csv')")
    notebook.run("look", "top = raw.head()")
    assert notebook.list_flows() == {("read", "raw.csv", "")}


def test_read_and_write_in_one_cell_have_no_variable(notebook):
    (notebook.folder / "raw.csv").write_text("a\n1\n")
    notebook.run("copy", "import pandas as pd\npd.read_csv('raw.csv').head(1).to_parquet('copy.parquet')")
    assert notebook.list_flows() == {("copy", "raw.csv", ""), ("copy", "raw.csv", "copy.parquet")}


def test_variable_that_was_assigned_again_connects_only_its_own_data(notebook):
    for name in ("one", "two"):
        (notebook.folder / f"{name}.csv").write_text("a\n1\n")
    notebook.run("one", "import pandas as pd\ndf = pd.read_csv('one.csv')")
    notebook.run("save-one", "df.to_parquet('one.parquet')")
    notebook.run("two", "df = pd.read_csv('two.csv')")
    notebook.run("save-two", "df.to_parquet('two.parquet')")
    assert notebook.list_flows() == {
        ("one", "one.csv", ""),
        ("one", "one.csv", "$one.df"),
        ("save-one", "$one.df", "one.parquet"),
        ("two", "two.csv", ""),
        ("two", "two.csv", "$two.df"),
        ("save-two", "$two.df", "two.parquet"),
    }


def test_variable_that_is_set_again_is_reported_again(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    notebook.run("read", "import pandas as pd\nraw = pd.read_csv('raw.csv')")
    notebook.run("clean", "clean = raw.dropna()")
    notebook.run("write", "clean.to_csv('clean.csv')")
    notebook.list_flows()
    again = notebook.run("clean", "clean = raw.dropna()\nother = raw.head()")
    notebook.list_flows()
    (observation,) = again.observations
    assert [notebook.shorten(ref) for ref in observation.writes] == ["$clean.clean"]
    assert not observation.missing


def test_libraries_are_restored_when_capture_stops(notebook):
    notebook.run("import", "import pandas as pd")
    import pandas as pd

    reader, writer = pd.read_csv, pd.DataFrame.to_csv
    notebook.capture.stop()
    assert pd.read_csv is reader.__wrapped__
    assert pd.DataFrame.to_csv is writer.__wrapped__


def test_calls_that_are_too_many_to_report_are_no_silent_loss(notebook, monkeypatch):
    monkeypatch.setattr(data_capture, "MAX_WAITING", 2)
    notebook.run("many", "import pandas as pd\nfor n in range(9): pd.DataFrame({'a': [n]}).to_csv(f'{n}.csv')")
    assert {(function, type(error).__name__) for function, error in notebook.errors} == {("to_csv", "Full")}
