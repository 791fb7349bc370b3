"""`%%metadata` in a real kernel: it runs the body as a cell would be run."""

import re


def test_help_of_the_cell_magic_does_not_run_the_cell(kernel):
    outcome = kernel.run("%%metadata --help\nprint('body')", "c")
    assert not outcome.succeeded
    assert outcome.text.startswith("UsageError: %%metadata [--tag TAG]… [--set KEY=VALUE]… [--owner WHO]")
    assert "body" not in outcome.text


def test_cell_without_writes_runs_and_reports_it(kernel):
    outcome = kernel.run("%%metadata --tag reviewed\nx = 41\nprint('body')\nx + 1", "c")
    assert outcome.succeeded
    assert [output.get("text/plain") for output in outcome.outputs] == [
        "body\n",
        "42",
        "No data written by this cell was captured: nothing to tag.",
    ]


def test_failing_body_raises_its_own_error(kernel):
    outcome = kernel.run("%%metadata --tag reviewed\n1 / 0", "c")
    assert not outcome.succeeded
    assert outcome.text == "ZeroDivisionError: division by zero\n"


def test_traceback_shows_only_lines_of_the_body(kernel):
    failed = kernel.run("%%metadata --tag reviewed\ndef split(x):\n    return x / 0\n\nsplit(1)", "c")
    shown = kernel.run(
        "import sys\n"
        "tb = get_ipython().InteractiveTB\n"
        "print(tb.stb2text(tb.structured_traceback(sys.last_type, sys.last_value, sys.last_traceback)))",
        "c",
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.text)
    assert "jupyter_colophon" not in text
    assert "----> 4 split(1)" in text
    assert "return x / 0" in text
    assert f"Cell In[{failed.execution_count}], line 4" in text
