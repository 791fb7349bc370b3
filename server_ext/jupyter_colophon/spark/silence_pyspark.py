"""Suppress the messages that PySpark writes to standard error, as JSON with Java stacks, before it raises an exception."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def silence_loggers() -> None:
    """Suppress the messages from now on."""
    for logger in _get_loggers():
        logger.setLevel(logging.CRITICAL)


@contextmanager
def silence_temporarily() -> Iterator[None]:
    """Suppress the messages for a while, in the user's session."""
    before = [logger.level for logger in _get_loggers()]
    silence_loggers()
    try:
        yield
    finally:
        for logger, level in zip(_get_loggers(), before, strict=True):
            logger.setLevel(level)


def _get_loggers() -> list[Any]:
    # Import it late: PySpark may not be installed.
    from pyspark.logger import PySparkLogger

    return [PySparkLogger.getLogger(name) for name in _LOGGERS]
