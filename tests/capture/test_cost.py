"""Capture is bounded: in memory, in the number of reports, and in what a program pays that only imports a library."""

import sys

import pytest
from jupyter_colophon.capture import origins
from support.process import run_script

READ = "import pandas as pd\nopen('in.txt', 'w').write('a,b\\n1,2\\n')\nframe = pd.read_csv('in.txt')"


def test_methods_that_compute_are_observed_once_there_is_a_value_to_follow(tmp_path):
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom support.captured_notebook import run_captured_notebook\n"
        "os.chdir(sys.argv[1])\n"
        "with run_captured_notebook(Path.cwd()) as notebook:\n"
        "    import pandas as pd\n"
        "    print(hasattr(pd.DataFrame.head, '__wrapped__'), hasattr(pd.DataFrame.to_csv, '__wrapped__'))\n"
        f"    notebook.run('read', {READ!r})\n"
        "    print(hasattr(pd.DataFrame.head, '__wrapped__'))\n"
        "print(hasattr(pd.DataFrame.head, '__wrapped__'))\n"
    )
    assert run_script(code, str(tmp_path)).split() == ["False", "True", "True", "False"]


def test_loop_that_reads_one_file_is_reported_once(notebook):
    notebook.run("read", f"{READ}\nfor _ in range(200): frame = pd.read_csv('in.txt')")
    notebook.run("again", "frame = pd.read_csv('in.txt')\nframe.to_csv('out.csv')")
    assert notebook.list_flows() == {("read", "in.txt", ""), ("again", "in.txt", ""), ("again", "in.txt", "out.csv")}
    reads = [each for each in notebook.runs[0].observations if each.function == "read_csv"]
    assert len(reads) < 10


def test_only_the_last_used_of_many_live_values_are_followed(notebook, monkeypatch):
    monkeypatch.setattr(origins, "MAX_VALUES", 500)
    notebook.run("many", f"{READ}\nframes = [frame.head(1) for _ in range(5_000)]")
    assert len(notebook.capture.context.origins) == 500
    notebook.run("write", "frames[0].to_csv('first.csv')\nframes[-1].to_csv('last.csv')")
    assert {(read, write) for cell, read, write in notebook.list_flows() if cell == "write"} == {
        # Connected by the name of the list only.
        ("$many.frames", "first.csv"),
        ("$many.unnamed", "last.csv"),
    }
    notebook.run("release", "frames = frame = None")
    assert len(notebook.capture.context.origins) == 0


@pytest.mark.parametrize(("size", "target"), [(100_000, "out.csv"), (1_000_000, "")])
def test_long_text_of_sql_is_not_parsed(notebook, size, target):
    pytest.importorskip("duckdb")
    notebook.run(
        "query",
        f"import duckdb\n{READ}\ntext = '/* ' + 'x' * {size} + ' */ SELECT a FROM frame'\nduckdb.sql(text).write_csv('out.csv')",
    )
    flows = notebook.list_flows()
    assert ("query", "in.txt", "out.csv") in flows or not target
    missing = {text for each in notebook.runs[0].observations for text in each.missing}
    assert bool(missing) == (not target)


def test_columns_of_a_deep_chain_stay_bounded(notebook):
    notebook.run("read", READ)
    for number in range(60):
        notebook.run(f"step{number}", "frame = frame.assign(a=frame['a'] + frame['b'], b=frame['b'] + frame['a'])")
    notebook.run("write", "frame.to_csv('out.csv', index=False)")
    columns = notebook.list_columns()
    assert ("$step59.frame.a", "out.csv.a", "identity") in columns
    assert len(columns) < sys.getrecursionlimit()
