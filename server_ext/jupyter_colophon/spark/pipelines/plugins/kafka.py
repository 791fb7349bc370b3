"""Topics of Kafka, read from one place to another, and written. Spark needs a connector for that, which it does not bring."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.spark import naming
from jupyter_colophon.spark.pipelines.context import StageContext
from jupyter_colophon.spark.pipelines.plugin import Columns, Sink, Source, absent
from jupyter_colophon.spark.pipelines.plugins import ddl, shapes

_PROVIDER = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
_ENVIRONMENT = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_OFFSETS = 'or JSON by topic and partition: {"orders": {"0": 23}}'
_PLACE = {
    "servers": shapes.text("Servers", "host:port, with commas between several"),
    "topic": shapes.text("Topic", "The topic", pattern="^[A-Za-z0-9._-]{1,249}$"),
    "options": shapes.words("Options", "Options of Spark's data source, such as kafka.security.protocol"),
    "options_from": shapes.words(
        "Options from",
        "Options that the environment has, such as kafka.sasl.jaas.config: the variable of each",
        additionalProperties=_ENVIRONMENT,
    ),
}
_META = ("key", "value", "topic", "partition", "offset", "timestamp")


class KafkaSource(Source):
    """Reads a topic from one offset to another."""

    name = "kafka"
    title = "Kafka"
    description = "The messages of a topic between two offsets: key, value, topic, partition, offset, timestamp"
    properties = {
        **_PLACE,
        "from": shapes.text("From", f"earliest, {_OFFSETS}", default="earliest"),
        "until": shapes.text("Until", f"latest, as it is when the stage begins, {_OFFSETS}", default="latest"),
        "schema": shapes.text(
            "Schema", "Of values that are JSON objects: page STRING, n BIGINT; these are the columns then"
        ),
    }
    required = ("servers", "topic")

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The topic."""
        return _dataset(self.told["topic"])

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those of the schema, or what Kafka tells of a message."""
        return ddl.names(self.told["schema"]) if "schema" in self.told else _META

    def read(self, context: StageContext) -> Any:
        """The messages. Raises LookupError where Spark has no connector."""
        from pyspark.sql import functions

        reader = context.spark.read.format("kafka").options(**_options(context.spark, self.told))
        data = reader.options(
            subscribe=self.told["topic"],
            startingOffsets=self.told.get("from", "earliest"),
            endingOffsets=self.told.get("until", "latest"),
        ).load()
        data = data.select(*(functions.col(name).cast("string").alias(name) for name in ("key", "value")), *_META[2:])
        if "schema" not in self.told:
            return data
        return data.select(functions.from_json("value", self.told["schema"]).alias("told")).select("told.*")


class KafkaSink(Sink):
    """Writes rows as messages."""

    name = "kafka"
    title = "Kafka"
    description = "Each row a message of a topic, as JSON. What a failed try has written stays there"
    properties = {**_PLACE, "key": shapes.text("Key", "The column that is the messages' key")}
    required = ("servers", "topic")

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The topic."""
        return _dataset(self.told["topic"])

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """A key that does not come in."""
        return absent("/key", [self.told["key"]] if "key" in self.told else (), next(iter(inputs), None))

    def write(self, context: StageContext, data: Any) -> None:
        """The messages. Raises LookupError where Spark has no connector."""
        from pyspark.sql import functions

        value = functions.to_json(functions.struct("*")).alias("value")
        key = [data[self.told["key"]].cast("string").alias("key")] if "key" in self.told else []
        writer = data.select(*key, value).write.format("kafka").options(**_options(context.spark, self.told))
        writer.option("topic", self.told["topic"]).save()


def _options(spark: Any, told: Mapping[str, Any]) -> dict[str, str]:
    """Spark's options. Raises LookupError where Spark has no connector, or the environment no such variable."""
    _require_connector(spark)
    found = {"kafka.bootstrap.servers": told["servers"], **told.get("options", {})}
    for option, variable in told.get("options_from", {}).items():
        if variable not in os.environ:
            msg = f"the environment has no variable {variable}, which should have {option}"
            raise LookupError(msg)
        found[option] = os.environ[variable]
    return found


def _require_connector(spark: Any) -> None:
    from py4j.protocol import Py4JJavaError

    try:
        spark._jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(_PROVIDER)
    except Py4JJavaError:
        msg = (
            "Spark has no Kafka connector: begin it with the setting"
            f" spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:{spark.version},"
            " or spark.jars with that jar and those it needs (docs/pipelines.md)"
        )
        raise LookupError(msg) from None


def _dataset(topic: str) -> MetadataEntity | None:
    urn = naming.dataset("kafka", topic)
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (KafkaSource, KafkaSink)
