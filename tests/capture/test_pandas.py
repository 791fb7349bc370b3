"""Capture of pandas, beyond the corpus: schemas, databases, and that pandas behaves as without capture."""

import gc
import inspect
import pickle
import traceback
import warnings
import weakref

import pandas as pd
import pytest
from jupyter_colophon.capture import origins
from jupyter_colophon.capture.observation import MissingDetail
from support.captured_notebook import run_captured_notebook

#: The type of columns of text, which depends on the version of pandas.
TEXT = str(pd.Series(["x"]).dtype)
START = "import pandas as pd\ndf = pd.read_csv('raw.csv')"


@pytest.fixture
def notebook(notebook):
    (notebook.folder / "raw.csv").write_text("a,b,c\n1,2.5,x\n3,,y\n")
    assert notebook.run("start", START).error is None
    return notebook


def run(notebook, code):
    cell = notebook.run("cell", code)
    assert cell.error is None, cell.error
    return cell


def list_fields(notebook, code):
    """Return the schema of what a cell writes."""
    cell = run(notebook, code)
    assert notebook.capture.wait_until_reported(10)
    assert not notebook.errors, notebook.errors
    fields = next(ref.fields for each in cell.observations for ref in each.writes if ref.kind != "variable")
    return None if fields is None else [(field.path, field.type, field.nullable) for field in fields]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "df.to_csv('out.csv', index=False)",
            [("a", "int64", False), ("b", "float64", True), ("c", TEXT, True)],
        ),
        ("df[['a']].set_index(df['c']).to_csv('out.csv')", [("c", TEXT, True), ("a", "int64", False)]),
        ("df[['a']].to_csv('out.csv', index_label='row')", [("row", "int64", False), ("a", "int64", False)]),
        ("df[['a']].to_parquet('out.parquet')", [("a", "int64", False)]),
        (
            "df[['a']].set_axis([7, 3]).to_parquet('out.parquet')",
            [("__index_level_0__", "int64", False), ("a", "int64", False)],
        ),
        (
            "df.groupby(['a', 'c'])[['b']].sum().to_parquet('out.parquet')",
            [("a", "int64", False), ("c", TEXT, True), ("b", "float64", True)],
        ),
        (
            "df.groupby('c').agg({'b': ['min', 'max']}).to_parquet('out.parquet')",
            [("c", TEXT, True), ("('b', 'min')", "float64", True), ("('b', 'max')", "float64", True)],
        ),
        ("df['a'].astype('Int64').to_json('out.json')", [("a", "Int64", True)]),
        ("df.to_csv('out.csv', columns=['c'], header=['name'], index=False)", [("name", TEXT, True)]),
        ("df[['a']].to_stata('out.dta')", [("index", "int64", False), ("a", "int64", False)]),
        # The schema lacks the column of the partition.
        ("df[['a', 'b']].to_parquet('out/c=x', partition_cols=['a'])", None),
    ],
)
def test_schema_is_what_the_file_gets(notebook, code, expected):
    assert list_fields(notebook, code) == expected


def test_workbook_with_sheets(notebook):
    cell = run(
        notebook,
        "with pd.ExcelWriter('book.xlsx') as book:\n"
        "    df[['a']].to_excel(book, sheet_name='one', index=False)\n"
        "    df[['c']].to_excel(book, sheet_name='two', index=False)\n"
        "for name, sheet in pd.read_excel('book.xlsx', sheet_name=None).items():\n"
        "    sheet.to_csv(f'{name}.csv', index=False)\n"
        "with pd.ExcelFile('book.xlsx') as book:\n    book.parse('two').to_csv('three.csv', index=False)",
    )
    assert {("cell", "$start.df", "book.xlsx"), ("cell", "book.xlsx", "one.csv")} <= notebook.list_flows()
    assert ("cell", "book.xlsx", "three.csv") in notebook.list_flows()
    assert ("book.xlsx.c", "two.csv.c", "identity") in notebook.list_columns()
    assert {ref.fields for each in cell.observations for ref in each.writes if ref.format == "excel"} == {None}


@pytest.mark.parametrize(
    "connection", ["sqlite3.connect('shop.sqlite')", "sqlalchemy.create_engine('sqlite:///shop.sqlite')"]
)
def test_table_of_a_database(notebook, connection):
    run(notebook, f"import sqlite3, sqlalchemy\ncon = {connection}\ndf.to_sql('orders', con, index=False)")
    run(notebook, "orders = pd.read_sql('SELECT a FROM orders', con)\norders.to_csv('out.csv', index=False)")
    flows = notebook.list_flows()
    assert ("cell", "$start.df", "shop.sqlite.orders") in flows
    assert ("cell", "shop.sqlite.orders", "out.csv") in flows
    columns = notebook.list_columns()
    assert ("$start.df.a", "shop.sqlite.orders.a", "identity") in columns
    assert ("shop.sqlite.orders.a", "out.csv.a", "identity") in columns


def test_read_of_a_whole_table(notebook):
    run(
        notebook,
        "import sqlalchemy\nurl = 'sqlite:///shop.sqlite'\ndf.to_sql('orders', url, index=False)\n"
        "pd.read_sql_table('orders', url).to_csv('out.csv', index=False)",
    )
    assert ("cell", "shop.sqlite.orders", "out.csv") in notebook.list_flows()
    assert ("shop.sqlite.orders.b", "out.csv.b", "identity") in notebook.list_columns()


def test_unknown_columns_are_reported_as_missing(notebook):
    cell = run(notebook, "import numpy as np\ndf['a'] = np.where(df['b'] > 1, 1, 0)\ndf.to_csv('out.csv', index=False)")
    assert notebook.capture.wait_until_reported(10)
    written = next(each for each in cell.observations if any(ref.kind == "file" for ref in each.writes))
    assert written.missing == (MissingDetail.VALUE_COLUMNS,)
    assert {flow.target_field for flow in written.columns} == {"b", "c"}


def observe(function, *values):
    """Return the warnings of a call with their lines, and its error with its traceback."""
    error = None
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            function(*values)
        except Exception as raised:  # noqa: BLE001
            error = (repr(raised), [each[:3] for each in traceback.extract_tb(raised.__traceback__)])
    return [(each.category.__name__, each.filename, each.lineno) for each in found], error


def change_a_temporary_frame(df):
    df[df.a > 1]["b"] = 3


def change_a_temporary_series(df):
    df["a"].replace(1, 2, inplace=True)


def change_an_item_of_a_temporary_series(df):
    df["a"][0] = 3


def change_a_local_frame(df):
    df["d"] = 3
    df.loc[0, "d"] = 4
    df["d"].__setitem__(0, 5)


def change_a_row_of_a_copy(df):
    df.loc[0]["a"] = 3


def set_in_a_column(df):
    df["b"].loc[0] = "text"


def read_with_a_deprecated_option(df):
    pd.read_csv("raw.csv", date_parser=lambda text: text, parse_dates=["a"])


def select_with_a_deprecated_keyword(df):
    df.drop(columns=["a"], inplace=False)
    df.first("1D")


def create_with_wrong_labels(df):
    pd.DataFrame({"a": df["a"]}, index=[1, 2], columns=["a", "a", "b"], dtype="nothing")


def drop_a_missing_column(df):
    df.drop(columns=["nothing"], inplace=True)


def select_a_missing_column(df):
    df.head(1)["nothing"]


def read_a_missing_file(df):
    pd.read_csv("missing.csv")


@pytest.mark.parametrize(
    "function",
    [
        change_a_temporary_frame,
        change_a_temporary_series,
        change_an_item_of_a_temporary_series,
        change_a_local_frame,
        change_a_row_of_a_copy,
        set_in_a_column,
        read_with_a_deprecated_option,
        select_with_a_deprecated_keyword,
        create_with_wrong_labels,
        drop_a_missing_column,
        select_a_missing_column,
        read_a_missing_file,
    ],
)
@pytest.mark.parametrize("mode", [False, True], ids=["views", "copy-on-write"])
def test_warnings_and_tracebacks_are_those_of_pandas(notebook, function, mode):
    with warnings.catch_warnings(action="ignore"):
        # pandas 3 knows only one mode.
        pd.set_option("mode.copy_on_write", mode)
    try:
        captured = observe(function, pd.read_csv("raw.csv"))
        notebook.capture.stop()
        assert captured == observe(function, pd.read_csv("raw.csv"))
    finally:
        with warnings.catch_warnings(action="ignore"):
            pd.reset_option("mode.copy_on_write")


def test_values_of_a_failed_call_are_freed(notebook):
    frame = pd.read_csv("raw.csv")
    reference = weakref.ref(frame)
    gc.disable()
    try:
        with pytest.raises(OSError, match="missing"):
            frame.to_csv("missing/out.csv")
        with pytest.raises(KeyError):
            frame.drop(columns="nothing")
        del frame
        assert reference() is None
    finally:
        gc.enable()


def test_expressions_find_local_variables(notebook):
    low = 1
    frame = pd.read_csv("raw.csv")
    assert len(frame.query("a > @low")) == 1
    assert frame.eval("a + @low").tolist() == [2, 4]
    frame.query("a > @low", inplace=True)
    assert frame["a"].tolist() == [3]
    frame.eval("d = a + @low", inplace=True)
    assert frame["d"].tolist() == [4]
    assert low == 1


def test_wrapped_functions_look_like_the_originals(notebook):
    assert str(inspect.signature(pd.read_csv)) == str(inspect.signature(pd.read_csv.__wrapped__))
    assert pickle.loads(pickle.dumps(pd.read_csv)) is pd.read_csv
    assert pickle.loads(pickle.dumps(pd.DataFrame.to_csv)) is pd.DataFrame.to_csv
    assert pd.DataFrame.to_csv.__doc__ == pd.DataFrame.to_csv.__wrapped__.__doc__

    class Table(pd.DataFrame):
        @property
        def _constructor(self):
            return Table

        def to_csv(self, *args, **kwargs):
            return super().to_csv(*args, **kwargs).upper()

    assert Table({"a": [1]}).head(1).to_csv(index=False) == "A\n1\n"


def test_exception_is_that_of_pandas(notebook):
    with pytest.raises(FileNotFoundError, match="missing"):
        pd.read_csv("missing.csv")
    with pytest.raises(KeyError, match="nothing"):
        pd.read_csv("raw.csv")["nothing"]


def test_disabled_library_is_left_alone(tmp_path):
    originals = (pd.read_csv, pd.DataFrame.to_csv, pd.DataFrame.__getitem__)
    with run_captured_notebook(tmp_path, disabled=["pandas"]) as notebook:
        notebook.run("start", "import pandas")
        assert (pd.read_csv, pd.DataFrame.to_csv, pd.DataFrame.__getitem__) == originals


def test_number_of_followed_frames_is_bounded(notebook, monkeypatch):
    monkeypatch.setattr(origins, "MAX_VALUES", 50)
    run(notebook, "frames = [df.head(1) for _ in range(200)]")
    assert len(notebook.capture.context.origins) == 50
    run(notebook, "del frames, df")
    assert len(notebook.capture.context.origins) == 0
