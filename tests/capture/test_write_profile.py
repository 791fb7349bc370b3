"""Profiles of frames that cells write."""

import pytest
from jupyter_colophon.capture.write_profile import MAX_ROWS
from support.captured_notebook import run_captured_notebook

START = (
    "import datetime, pandas as pd, polars as pl, pyarrow as pa, pyarrow.parquet as pq\nfrom deltalake import write_deltalake\n"
    "columns = {'price': [2.5, None, 4.0], 'count': [1, 1, 3], 'name': ['a', 'b', None], 'flag': [True, True, False],\n"
    "    'day': [datetime.datetime(2026, 1, at) for at in (2, 1, 3)], 'parts': [[1], [2], [1]]}"
)
EXPECTED = {
    "price": (1, 2, "2.5", "4.0"),
    "count": (0, 2, "1", "3"),
    "name": (1, 2, None, None),
    "flag": (0, 2, None, None),
    "day": (0, 3, "2026-01-01T00:00:00", "2026-01-03T00:00:00"),
}


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with run_captured_notebook(tmp_path, has_profiles=True) as notebook:
        assert notebook.run("import", START).error is None
        yield notebook


def list_profiles(notebook, code):
    outcome = notebook.run("write", code)
    assert outcome.error is None, outcome.error
    notebook.list_flows()
    return {notebook.shorten(seen.writes[0]): seen.profile for seen in outcome.observations if seen.writes}


@pytest.mark.parametrize(
    "write",
    [
        "pd.DataFrame(columns).to_parquet('out')",
        "pl.DataFrame(columns).write_parquet('out')",
        "pq.write_table(pa.table(columns), 'out')",
        "write_deltalake('out', pa.table(columns))",
    ],
)
def test_profile_has_counts_and_the_range_of_numbers_and_times(notebook, write):
    profile = list_profiles(notebook, write)["out"]
    assert (profile.rows, profile.column_count, profile.sampled) == (3, 6, None)
    found = {each.path: (each.nulls, each.distinct, each.least, each.most) for each in profile.columns}
    assert found.pop("parts")[2:] == (None, None)
    assert found == EXPECTED


def test_rows_of_a_long_frame_are_sampled(notebook):
    rows = 5 * MAX_ROWS // 2
    code = f"long = pd.DataFrame({{'a': range({rows}), 'b': 1}})\nlong.to_csv('a.csv', columns=['a'])\npl.DataFrame(long).write_csv('b.csv')"
    profiles = list_profiles(notebook, code)
    assert {(each.rows, each.sampled) for each in profiles.values()} == {(rows, -(-rows // 3))}
    assert [each.path for each in profiles["a.csv"].columns] == ["a"]


def test_appended_rows_and_several_writes_have_no_profile(notebook):
    profiles = list_profiles(
        notebook,
        "frame = pd.DataFrame({'a': [1]})\nframe.to_csv('a.csv', mode='a')\nwith open('b.csv', 'a') as file:\n    frame.to_csv(file)\n"
        "frame.to_parquet('c', partition_cols=['a'])\nframe.to_csv('d.csv', header=['b'])\n"
        "frame['a'].to_csv('e.csv')\nwrite_deltalake('f', frame, mode='append')\npl.LazyFrame({'a': [1]}).sink_csv('g.csv')",
    )
    assert profiles == dict.fromkeys(("a.csv", "b.csv", "c", "d.csv", "e.csv", "f", "g.csv"))


def test_values_that_have_no_range_do_not_break_a_profile(notebook):
    code = (
        "import numpy as np\nodd = pd.DataFrame({'none': [None, None], 'inf': [np.inf, 1], 'z': [1j, 2j], 'na': pd.array([None, None], 'Int64')})\n"
        "odd.to_pickle('out.pkl')\npd.DataFrame().to_csv('empty.csv')"
    )
    profiles = list_profiles(notebook, code)
    assert [(each.path, each.least, each.most) for each in profiles["out.pkl"].columns] == [
        ("none", None, None),
        ("inf", "1.0", None),
        ("z", None, None),
        ("na", None, None),
    ]
    assert profiles["empty.csv"].rows == 0


def test_nothing_is_profiled_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with run_captured_notebook(tmp_path) as notebook:
        assert list_profiles(notebook, "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('out.csv')") == {
            "out.csv": None
        }
