"""Choose the stream class for the installed PySpark."""

from importlib.util import find_spec
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader

from jupyter_colophon.spark.source.options import SourceOptions
from jupyter_colophon.spark.source.streaming import ChangeStream


def create_stream_reader(options: SourceOptions, schema: Any) -> DataSourceStreamReader:
    """Return the stream for the installed PySpark."""
    if find_spec("pyspark.sql.streaming.datasource") is None:
        return ChangeStream(options, schema)
    from jupyter_colophon.spark.source.stream_limits import LimitedChangeStream

    return LimitedChangeStream(options, schema)
