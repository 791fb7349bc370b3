"""After capture, the libraries are as before; in a forked child, capture is over."""

import os
import sys
from types import FunctionType, ModuleType

import pytest
from support.captured_notebook import run_captured_notebook

LIBRARIES = (
    *("pandas", "polars", "numpy", "pyarrow", "duckdb", "sqlalchemy", "sqlite3", "joblib", "pickle", "matplotlib"),
    *("threading", "concurrent", "plotly"),
)
IMPORTS = "import duckdb, joblib, matplotlib.figure, pandas as pd, plotly.io, polars as pl, pyarrow.parquet, sqlalchemy, sqlite3"


def list_members():
    """Return the functions, classes and modules of each loaded module of the libraries, and the members of each class."""
    members = {}
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] in LIBRARIES and isinstance(module, ModuleType):
            for key, value in vars(module).items():
                if callable(value) or isinstance(value, ModuleType):
                    members[name, key] = value
                if isinstance(value, type) and value.__module__.partition(".")[0] in LIBRARIES:
                    members |= {
                        (value, each): member
                        for each, member in vars(value).items()
                        if callable(member) or isinstance(member, property | classmethod | staticmethod)
                    }
    return members


def test_restored_libraries_are_as_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw.csv").write_text("a,b\n1,2\n")
    exec(IMPORTS, {})
    before = list_members()
    with run_captured_notebook(tmp_path) as notebook:
        notebook.run_cells(
            f"{IMPORTS}\nframe = pd.read_csv('raw.csv').query('a > 0')\nframe.to_html()\npl.read_csv('raw.csv').lazy().collect()"
        )
        changed = {each for each, value in list_members().items() if before.get(each) is not value}
    assert len(changed) > 500
    after = list_members()
    assert [each for each, value in before.items() if after.get(each) is not value] == []
    wrappers = [
        each
        for each, value in after.items()
        if isinstance(value, FunctionType) and value.__globals__.get("__name__", "").startswith("jupyter_colophon.")
    ]
    assert wrappers == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_child_computes_and_writes(notebook):
    (notebook.folder / "raw.csv").write_text("a,b\n1,2\n")
    notebook.run_cells(
        "import os, pandas as pd\nframe = pd.read_csv('raw.csv')\nchild = os.fork()\n"
        "if child == 0:\n    status = 1\n    try:\n        frame.assign(c=frame['a'] + 1).to_csv('child.csv', index=False)\n"
        "        status = 0\n    finally:\n        os._exit(status)\n"
        "outcome = os.waitpid(child, 0)[1]\nframe.to_csv('parent.csv')"
    )
    assert notebook.variables["outcome"] == 0
    assert (notebook.folder / "child.csv").read_text() == "a,b,c\n1,2,2\n"
    assert {write for _, _, write in notebook.list_flows()} >= {"parent.csv"}
