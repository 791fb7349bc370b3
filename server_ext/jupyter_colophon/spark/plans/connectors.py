"""Spark data sources that need a connector which PySpark does not include."""

from typing import Any

_PACKAGES = {"avro": "spark-avro", "kafka": "spark-sql-kafka-0-10"}


class ConnectorMissing(LookupError):
    """Spark lacks the connector of a data source; the message names its package."""


def require_connector(spark: Any, format_: str) -> None:
    """Raise ConnectorMissing if Spark does not find the connector of a data source."""
    package = _PACKAGES.get(format_)
    if package is None:
        return
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException

    sources = spark._jvm.org.apache.spark.sql.execution.datasources.DataSource
    try:
        sources.lookupDataSource(format_, spark._jsparkSession.sessionState().conf())
    except (AnalysisException, Py4JJavaError):
        msg = (
            f"Spark has no connector for {format_}: start it with the setting"
            f" spark.jars.packages=org.apache.spark:{package}_2.13:{spark.version},"
            " or spark.jars with that jar and those it needs (docs/pipelines.md)"
        )
        raise ConnectorMissing(msg) from None
