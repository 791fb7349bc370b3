"""Choose the stream for the installed PySpark."""

from importlib.util import find_spec

from pyspark.sql.datasource import DataSourceStreamReader

from jupyter_colophon.spark.source.options import Options
from jupyter_colophon.spark.source.streaming import ChangeStream


def reader(options: Options) -> DataSourceStreamReader:
    """The stream for the PySpark that is there."""
    if find_spec("pyspark.sql.streaming.datasource") is None:
        return ChangeStream(options)
    from jupyter_colophon.spark.source.stream_limits import LimitedChangeStream

    return LimitedChangeStream(options)
