"""Files that a program opens itself, or that a library opens which no adapter observes."""

import pytest
from jupyter_colophon.capture.report_documents import build_access_documents
from support.captured_notebook import run_captured_notebook


@pytest.fixture
def files(tmp_path):
    (tmp_path / "in.json").write_text('{"a": 1}')
    (tmp_path / "in.csv").write_text("a,b\n1,2\n")


@pytest.mark.parametrize(
    ("code", "flows"),
    [
        ("import json\nwith open('in.json') as file: json.load(file)", {("in.json", "")}),
        ("from pathlib import Path\nPath('in.csv').read_text()", {("in.csv", "")}),
        (
            "import csv\nwith open('out.tsv', 'w', newline='') as file: csv.writer(file).writerow([1])",
            {("", "out.tsv")},
        ),
        ("import gzip\nwith gzip.open('out.csv.gz', 'wt') as file: file.write('a')", {("", "out.csv.gz")}),
        ("import shutil\nshutil.copyfile('in.csv', 'copy.csv')", {("in.csv", ""), ("", "copy.csv")}),
        ("with open('in.csv', 'r+') as file: file.write('x')", {("in.csv", ""), ("", "in.csv")}),
        (
            "import threading\nthread = threading.Thread(target=lambda: open('in.csv').close())\nthread.start()\nthread.join()",
            {("in.csv", "")},
        ),
        ("import os\nos.close(os.open('in.csv', os.O_RDONLY))", {("in.csv", "")}),
        # Not data, hidden, absent, refused, gone at the end of the cell.
        ("open('notes.txt', 'w').close()\nopen('code.py', 'w').close()", set()),
        ("import os\nos.mkdir('.cache')\nopen('.cache/x.json', 'w').close()", set()),
        ("try: open('absent.csv')\nexcept OSError: pass", set()),
        ("try: open('absent/out.csv', 'w')\nexcept OSError: pass", set()),
        ("try: open('in.csv', 'x')\nexcept OSError: pass", set()),
        ("import os\nopen('gone.csv', 'w').close()\nos.remove('gone.csv')", set()),
        ("import io, tempfile\nio.StringIO('a').read()\ntempfile.TemporaryFile().close()", set()),
        # What an adapter reports of the same file counts once, with its lineage.
        ("import pandas as pd\nwith open('in.csv') as file: pd.read_csv(file)", {("in.csv", "")}),
        (
            "import pandas as pd\nwith open('out.csv', 'w') as file: pd.read_csv('in.csv').to_csv(file)",
            {("in.csv", ""), ("in.csv", "out.csv")},
        ),
        ("import pickle\nwith open('x.pkl', 'wb') as file: pickle.dump({}, file)", {("", "x.pkl")}),
    ],
)
def test_files_that_a_cell_opens(notebook, files, code, flows):
    assert notebook.run_cells(code) == {("c1", *flow) for flow in flows}


def test_library_without_an_adapter_opens_a_file_for_the_program(notebook, files, tmp_path, monkeypatch):
    library = tmp_path / "installed" / "imaging.py"
    library.parent.mkdir()
    (library.parent / "defaults.json").write_text("{}")
    library.write_text(
        "import json, os\nwith open(os.path.join(os.path.dirname(__file__), 'defaults.json')) as file: json.load(file)\n"
        "def save(path):\n    with open(path, 'wb') as file: file.write(b'x')\n"
    )
    monkeypatch.setattr("jupyter_colophon.capture.opened_files.PACKAGES", (str(library.parent),))
    monkeypatch.syspath_prepend(str(library.parent))
    assert notebook.run_cells("import imaging\nimaging.save('out.npy')") == {("c1", "", "out.npy")}


def test_opened_file_is_marked_and_reported_once(notebook, files):
    notebook.run_cells("for _ in range(50): open('in.json').close()")
    (observation,) = notebook.runs[0].observations
    (document,) = build_access_documents([observation])
    assert [(each["mode"], each["component"]) for each in document["accesses"]] == [("read", "opened file")]


def test_opened_files_are_not_captured_if_excluded(tmp_path, files, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with run_captured_notebook(tmp_path, disabled=["open"]) as notebook:
        assert notebook.run_cells("open('in.csv').close()") == set()
    with run_captured_notebook(tmp_path, disabled=["pandas"]) as notebook:
        assert notebook.run_cells("import pandas as pd\npd.read_csv('in.csv')") == set()
