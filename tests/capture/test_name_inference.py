"""Lineage through values that no library call connects, by the names that cells use and define."""

import pytest
from jupyter_colophon.capture.observation import Inference

START = "import pandas as pd\nraw = pd.read_csv('raw.csv')"


@pytest.fixture
def notebook(notebook):
    for name in ("raw", "other"):
        (notebook.folder / f"{name}.csv").write_text("a,b\n1,2\n3,4\n")
    notebook.run("read", START)
    return notebook


def list_written(notebook):
    """Return the flows into files, without those of reads alone and of variables."""
    return {(source, target) for _, source, target in notebook.list_flows() if target and not target.startswith("$")}


def test_values_in_a_list_are_followed_by_name(notebook):
    notebook.run("rows", "rows = [dict(row) for row in raw.to_dict('records')]")
    notebook.run("write", "pd.DataFrame(rows).to_csv('out.csv')")
    assert list_written(notebook) == {("$rows.rows", "out.csv")}
    assert ("rows", "$read.raw", "$rows.rows") in notebook.list_flows()
    (seen,) = [each for run in notebook.runs for each in run.observations if each.writes and run.cell_id == "write"]
    assert seen.inference is Inference.NAME


def test_list_that_is_filled_in_a_loop_is_followed_within_a_cell(notebook):
    code = "rows = []\nfor row in raw.to_dict('records'):\n    rows.append(row)\npd.DataFrame(rows).to_csv('out.csv')"
    notebook.run("write", code)
    assert list_written(notebook) == {("$read.raw", "out.csv")}


def test_function_of_the_notebook_is_followed_to_the_names_that_it_uses(notebook):
    notebook.run("define", "def save(path):\n    pd.DataFrame(raw.to_dict()).to_csv(path)")
    notebook.run("write", "save('out.csv')")
    assert list_written(notebook) == {("$read.raw", "out.csv")}


@pytest.mark.parametrize(
    "code",
    [
        "made = pd.DataFrame({'a': [1]})\nmade.to_csv('out.csv')",
        "pd.DataFrame({'a': [1]}).to_csv(f'{len(raw)}.csv')",
        "count = len(raw)\npd.DataFrame({'a': [count]}).to_csv('out.csv')",
        "print(raw)\npd.DataFrame({'a': [1]}).to_csv('out.csv')",
    ],
)
def test_data_that_does_not_come_from_the_values_has_no_source(notebook, code):
    assert notebook.run("write", code).error is None
    assert {source for source, _ in list_written(notebook)} == {""}


def test_name_that_is_assigned_twice_in_a_cell_is_ambiguous(notebook):
    notebook.run(
        "write",
        "rows = raw.to_dict('records')\nother = rows\nrows = pd.read_csv('other.csv').to_dict('records')\npd.DataFrame(other).to_csv('out.csv')",
    )
    assert ("other.csv", "out.csv") not in list_written(notebook)


def test_name_that_has_another_value_now_is_not_followed(notebook):
    notebook.run("rows", "rows = raw.to_dict('records')")
    notebook.run("again", "rows = [{'a': 1}]")
    notebook.run("write", "pd.DataFrame(rows).to_csv('out.csv')")
    assert list_written(notebook) == {("", "out.csv")}


def test_magics_and_broken_code_are_not_examined(notebook):
    notebook.capture.end_cell(lambda: "%matplotlib inline\nrows = raw", notebook.variables, notebook.runs[-1])
    notebook.run("write", "raw.to_csv('out.csv')")
    assert list_written(notebook) == {("$read.raw", "out.csv")}


@pytest.mark.parametrize(
    "code",
    [
        "raw['c'] = [row['a'] for row in other.to_dict('records')]",
        "raw.loc[raw['a'] > 0, 'c'] = [row['a'] for row in other.to_dict('records')]",
        "raw = raw.assign(c=[row['a'] for row in other.to_dict('records')])",
        "raw.insert(0, 'c', [row['a'] for row in other.to_dict('records')])",
    ],
)
def test_values_put_into_a_frame_are_followed_by_name(notebook, code):
    notebook.run("others", "other = pd.read_csv('other.csv')")
    outcome = notebook.run("put", code)
    assert outcome.error is None
    notebook.run("write", "raw.to_csv('out.csv')")
    assert {("put", source, "$put.raw") for source in ("$read.raw", "$others.other")} <= notebook.list_flows()
    assert {each.inference for each in outcome.observations if each.writes} == {Inference.NAME}


@pytest.mark.parametrize("value", ["[1] * len(other)", "[*range(other.shape[0])]", "[1, 2]"])
def test_values_of_the_size_of_a_frame_do_not_come_from_it(notebook, value):
    notebook.run("others", "other = pd.read_csv('other.csv')")
    outcome = notebook.run("put", f"raw['c'] = {value}")
    assert outcome.error is None
    notebook.run("write", "raw.to_csv('out.csv')")
    assert list_written(notebook) == {("$put.raw", "out.csv")}
    assert ("put", "$others.other", "$put.raw") not in notebook.list_flows()
    assert Inference.NAME not in {each.inference for each in outcome.observations}
