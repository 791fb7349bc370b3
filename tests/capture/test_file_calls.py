"""What a call did is recorded as it was at that time, although it is examined later."""

import pytest

PANDAS = "import os\nimport pandas as pd\nframe = pd.read_csv('in.csv')\n"
POLARS = "import os\nimport polars as pl\nframe = pl.read_csv('in.csv')\n"
WRITES = [(PANDAS, "frame.to_csv('out.csv', index=False)"), (POLARS, "frame.write_csv('out.csv')")]


@pytest.fixture
def folder(notebook):
    (notebook.folder / "in.csv").write_text("a,b\n1,2\n")
    (notebook.folder / "below").mkdir()
    (notebook.folder / "below" / "in.csv").write_text("c\n3\n")
    return notebook.folder


@pytest.mark.parametrize(("read", "write"), WRITES)
def test_relative_path_is_one_of_the_working_folder_of_its_call(notebook, folder, read, write):
    notebook.run_cells(f"{read}os.chdir('below')\n{write}\nos.chdir('..')\n{read}{write}")
    assert notebook.list_flows() == {
        ("c1", "in.csv", ""),
        ("c1", "in.csv", "below/out.csv"),
        ("c1", "in.csv", "out.csv"),
    }


def test_relative_path_after_many_changes_of_the_working_folder(notebook, folder):
    loop = "from contextlib import chdir\nfor _ in range(50):\n    with chdir('below'): pd.read_csv('in.csv')\n"
    notebook.run_cells(f"{PANDAS}{loop}frame.to_csv('out.csv')")
    assert notebook.list_flows() == {
        ("c1", "in.csv", ""),
        ("c1", "below/in.csv", ""),
        ("c1", "in.csv", "out.csv"),
    }


@pytest.mark.parametrize(
    ("read", "write", "change"),
    [
        (*WRITES[0], "frame.columns = ['x', 'y']"),
        (*WRITES[0], "frame['a'] = 'text'\ndel frame['b']"),
        (*WRITES[0], "frame.drop(columns='a', inplace=True)"),
        (*WRITES[1], "frame.columns = ['x', 'y']"),
        (*WRITES[1], "frame.drop_in_place('a')"),
        (*WRITES[1], "frame.replace_column(0, pl.Series('a', ['text']))"),
    ],
)
def test_schema_is_that_of_the_frame_when_it_was_written(notebook, folder, read, write, change):
    cell = notebook.run("write", f"{read}{write}\n{change}")
    assert cell.error is None, cell.error
    assert notebook.list_columns() == {("in.csv.a", "out.csv.a", "identity"), ("in.csv.b", "out.csv.b", "identity")}
    (written,) = (ref for each in cell.observations for ref in each.writes)
    assert [(field.path, field.type.lower()) for field in written.fields or ()] == [("a", "int64"), ("b", "int64")]


def test_options_are_those_of_the_call(notebook, folder):
    code = "names = ['b']\nframe.to_csv('out.csv', columns=names, index=False)\nnames[0] = 'a'"
    notebook.run_cells(PANDAS + code)
    assert notebook.list_columns() == {("in.csv.b", "out.csv.b", "identity")}


def test_value_of_a_read_that_is_not_reported_yet_has_its_origin(notebook, folder):
    notebook.run_cells(
        f"{PANDAS}os.chdir('below')\nfor _ in range(3): other = frame[frame['a'] > 0].assign(c=frame['b'])\n"
        "os.chdir('..')\nother.to_csv('out.csv', index=False)"
    )
    assert {("in.csv.a", "out.csv.a", "identity"), ("in.csv.b", "out.csv.c", "identity")} <= notebook.list_columns()


def test_failed_write_is_one_that_was_intended(notebook, folder):
    cell = notebook.run("write", f"{PANDAS}frame.to_csv('absent/out.csv')")
    assert isinstance(cell.error, OSError)
    assert notebook.list_flows() == {("write", "in.csv", "")}
    assert [notebook.shorten(ref) for each in cell.observations for ref in each.intended] == ["absent/out.csv"]
