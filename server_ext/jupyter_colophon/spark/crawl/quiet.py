"""What Spark refuses is told in our words."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def quiet() -> Iterator[None]:
    """Not before them too in its own, as JSON with a stack. Only where Spark is there."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    before = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for one, level in zip(loggers, before, strict=True):
            one.setLevel(level)
