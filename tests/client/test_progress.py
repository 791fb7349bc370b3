"""The line that shows progress leaves nothing behind, also where no escape sequence erases."""

import time
from io import StringIO

from jupyter_colophon.client.progress_line import ProgressLine


def test_a_progress_line_in_a_notebook_leaves_no_tail() -> None:
    stream = StringIO()
    with ProgressLine(stream, watched=True) as line:
        line.show("reading /data/a/very/long/path.parquet", 1)
        time.sleep(0.15)
        line.show("short", 2)
        assert rendered(stream.getvalue()) == "short 2"
    assert rendered(stream.getvalue()) == ""
    assert "\x1b" not in stream.getvalue()


def rendered(text: str) -> str:
    """Render a line as a notebook's output does: text after a carriage return overwrites as many characters."""
    shown = ""
    for part in text.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()
