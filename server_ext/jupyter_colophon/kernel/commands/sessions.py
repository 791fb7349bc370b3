"""The Spark session of a notebook."""

from typing import Any


def session_here() -> Any:
    """The session that the notebook has, or a new one. Raises ValueError where there can be none."""
    try:
        from pyspark.sql import SparkSession

        from jupyter_colophon.spark.session import session
    except ImportError:
        msg = "PySpark is not installed: pip install jupyter-colophon[spark]"
        raise ValueError(msg) from None
    return SparkSession.getActiveSession() or session()
