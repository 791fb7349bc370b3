"""A plugin of pytest that captures libraries while their own tests run, and writes the outcome of each test to a file."""

import json
import os
from pathlib import Path

import pytest
from jupyter_colophon.capture.data_capture import DataCapture

#: The file for the outcomes, and whether the libraries are captured.
OUTCOMES, IS_CAPTURED = "COLOPHON_TEST_OUTCOMES", "COLOPHON_TEST_CAPTURED"

_outcomes: dict[str, str] = {}
_errors: list[str] = []
_capture: DataCapture | None = None


def pytest_configure() -> None:
    """Start capture before the tests import the library."""
    global _capture
    if os.environ.get(IS_CAPTURED):
        _capture = DataCapture(
            lambda observation, execution: None,
            get_execution=lambda: None,
            get_time_ms=lambda: 0,
            name_variable=lambda execution, name, number: None,
            on_error=lambda library, error: _errors.append(f"{library}: {error!r} at {_find_line(error)}"),
        )
        _capture.start()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep the outcome of a test: that of its call, or of its setup if that failed or was skipped."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    """Write the outcomes."""
    if _capture is not None:
        _capture.stop()
    Path(os.environ[OUTCOMES]).write_text(json.dumps({"outcomes": _outcomes, "errors": _errors}))


def _find_line(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
