"""pandas' own tests of input and output have the same outcomes whether pandas is captured or not.

`make long-capture` runs it with pandas 2 and 3: COLOPHON_PANDAS_PYTHON is the Python of an environment with one of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from support import captured_tests

PYTHON = os.environ.get("COLOPHON_PANDAS_PYTHON", sys.executable)
TESTS = Path(__file__).parent.parent
#: Files of tests below `pandas/tests`. Tests that need a network, a display or a server skip themselves.
FILES = (
    *("io/parser", "io/json", "io/excel", "io/xml", "io/pytables", "io/sas", "io/formats/test_to_csv.py"),
    *("io/test_parquet.py", "io/test_feather.py", "io/test_orc.py", "io/test_pickle.py", "io/test_stata.py"),
    *("io/test_common.py", "io/test_compression.py", "io/test_fsspec.py", "io/test_html.py", "io/test_sql.py"),
    *("copy_view", "frame/methods", "frame/test_query_eval.py", "frame/indexing", "groupby/aggregate", "reshape/merge"),
)

#: Tests with another outcome: a warning of a deprecated axis that is not given, and one of pyarrow that names another line.
KNOWN = ("test_agg_str_with_kwarg_axis_1_raises[idx", "test_passthrough_keywords")


def run_tests(folder: Path, *, is_captured: bool) -> dict:
    outcomes = folder / f"{is_captured}.json"
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    command += [
        "-p",
        "support.captured_tests",
        "--rootdir",
        str(folder),
        "-m",
        "not network and not db",
        "--no-header",
        "--continue-on-collection-errors",
    ]
    names = [argument for file in FILES for argument in find_file(file)]
    environment = os.environ | {"PYTHONPATH": str(TESTS), captured_tests.OUTCOMES: str(outcomes)}
    if is_captured:
        environment[captured_tests.IS_CAPTURED] = "1"
    subprocess.run([*command, *names], env=environment, cwd=folder, check=False, stdout=subprocess.DEVNULL)
    return json.loads(outcomes.read_text())


def find_file(name: str) -> list[str]:
    script = "import pandas, pathlib; print(pathlib.Path(pandas.__file__).parent)"
    folder = subprocess.run([PYTHON, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    path = Path(folder) / "tests" / name
    return [str(path)] if path.exists() else []


def test_outcomes_are_the_same(tmp_path):
    without = run_tests(tmp_path, is_captured=False)
    captured = run_tests(tmp_path, is_captured=True)
    different = {
        test: (outcome, captured["outcomes"].get(test))
        for test, outcome in without["outcomes"].items()
        if captured["outcomes"].get(test) != outcome and not any(name in test for name in KNOWN)
    }
    assert len(without["outcomes"]) > 1_000
    assert different == {}
    assert captured["errors"] == []
