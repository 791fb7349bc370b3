"""PySpark writes many an exception to standard error too, as JSON with Java's stack, before it raises it. Here it does not."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def hush() -> None:
    """From now on."""
    for one in _loggers():
        one.setLevel(logging.CRITICAL)


@contextmanager
def quiet() -> Iterator[None]:
    """For a while: in a session that is not ours."""
    before = [one.level for one in _loggers()]
    hush()
    try:
        yield
    finally:
        for one, level in zip(_loggers(), before, strict=True):
            one.setLevel(level)


def _loggers() -> list[Any]:
    # Late: it is there with PySpark.
    from pyspark.logger import PySparkLogger

    return [PySparkLogger.getLogger(name) for name in _LOGGERS]
