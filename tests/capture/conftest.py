"""Notebooks whose libraries are captured in the process of the tests."""

import pytest
from support.captured_notebook import run_captured_notebook


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Run cells in a folder of their own; `notebook.list_flows()` is what they read and wrote."""
    monkeypatch.chdir(tmp_path)
    with run_captured_notebook(tmp_path) as notebook:
        yield notebook
