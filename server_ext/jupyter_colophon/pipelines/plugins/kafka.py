"""Kafka topics: read a range of offsets, and write messages."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, SinkPlugin, SourcePlugin, find_unknown_columns
from jupyter_colophon.pipelines.plugins import ddl, property_schemas
from jupyter_colophon.pipelines.plugins.topic import (
    EARLIEST,
    LATEST,
    Offsets,
    format_offsets,
    parse_offsets,
    read_end_offsets,
    require_offsets_within,
    require_reachable_kafka,
)

_FORMAT = "kafka"
_ENVIRONMENT = {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
_OFFSETS = 'or JSON by topic and partition: {"orders": {"0": 23}}'
_PLACE = {
    "servers": property_schemas.define_text("Servers", "host:port, or a comma-separated list"),
    "topic": property_schemas.define_text("Topic", "The topic", pattern="^[A-Za-z0-9._-]{1,249}$"),
    "options": property_schemas.define_mapping(
        "Options", "Options of Spark's data source, such as kafka.security.protocol"
    ),
    "options_from": property_schemas.define_mapping(
        "Options from",
        "Environment variables by option, such as kafka.sasl.jaas.config",
        additionalProperties=_ENVIRONMENT,
    ),
}
#: The keyword for each end, and its number as an offset of one partition.
_ENDS = {"from": ("earliest", EARLIEST), "until": ("latest", LATEST)}
_META = ("key", "value", "topic", "partition", "offset", "timestamp")


class KafkaSource(SourcePlugin):
    """Read a range of offsets of a topic."""

    name = "kafka"
    title = "Kafka"
    description = "The messages of a topic between two offsets: key, value, topic, partition, offset, timestamp"
    properties = {
        **_PLACE,
        "from": property_schemas.define_text("From", f"earliest, {_OFFSETS}", default="earliest"),
        "until": property_schemas.define_text("Until", f"latest when the stage begins, {_OFFSETS}", default="latest"),
        "schema": property_schemas.define_text(
            "Schema", "The columns of values that are JSON objects: page STRING, n BIGINT"
        ),
    }
    required = ("servers", "topic")

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the topic."""
        return _resolve_dataset(self.settings["topic"])

    def get_columns(self, inputs: Sequence[Columns]) -> Columns:
        """Return the columns of the schema, or those of Kafka's messages."""
        return ddl.parse_names(self.settings["schema"]) if "schema" in self.settings else _META

    def get_connector(self) -> str:
        """Return the connector for Kafka."""
        return _FORMAT

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield problems for invalid offsets, and for those of another topic."""
        for name in _ENDS:
            try:
                self._parse_requested(name)
            except ValueError as error:
                yield Problem(f"/{name}", str(error))

    def read(self, context: StageContext) -> Any:
        """Return the current messages. Raises LookupError if Kafka or the topic is unavailable."""
        from pyspark.sql import functions

        options, topic = _build_options(self.settings), self.settings["topic"]
        begin, end = self._resolve_offsets(read_end_offsets(context.spark, options, topic))
        context.log(f"reads up to {end}")
        reader = context.spark.read.format(_FORMAT).options(**options)
        data = reader.options(subscribe=topic, startingOffsets=begin, endingOffsets=end).load()
        data = data.select(*(functions.col(name).cast("string").alias(name) for name in ("key", "value")), *_META[2:])
        if "schema" not in self.settings:
            return data
        return data.select(functions.from_json("value", self.settings["schema"]).alias("parsed")).select("parsed.*")

    def _parse_requested(self, name: str) -> Offsets | None:
        """Return the offsets of `from` or `until`; None for `earliest` or `latest`."""
        word, end = _ENDS[name]
        position = self.settings.get(name, word)
        return None if position == word else parse_offsets(position, self.settings["topic"], end)

    def _resolve_offsets(self, now: Offsets) -> tuple[str, str]:
        """Return the start and end offsets for Spark. Raises LookupError if the topic has no such offset.

        The end is numeric: Spark reads the topic again for each stage that uses the data, and all must read the same messages.
        """
        topic, begin, end = self.settings["topic"], self._parse_requested("from"), self._parse_requested("until")
        for name, requested in (("from", begin), ("until", end)):
            if requested is not None:
                require_offsets_within(name, requested, now)
        until = {
            partition: now[partition] if offset == LATEST else offset for partition, offset in (end or now).items()
        }
        return ("earliest" if begin is None else format_offsets(topic, begin)), format_offsets(topic, until)


class KafkaSink(SinkPlugin):
    """Write rows as messages."""

    name = "kafka"
    title = "Kafka"
    description = "Each row becomes a message of the topic, as JSON. Messages of a failed attempt are kept"
    properties = {**_PLACE, "key": property_schemas.define_text("Key", "The column with the message key")}
    required = ("servers", "topic")

    def get_dataset(self, namespace: str) -> MetadataEntity | None:
        """Return the topic."""
        return _resolve_dataset(self.settings["topic"])

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem for an unknown key column."""
        return find_unknown_columns(
            "/key", [self.settings["key"]] if "key" in self.settings else (), next(iter(inputs), None)
        )

    def get_connector(self) -> str:
        """Return the connector for Kafka."""
        return _FORMAT

    def write(self, context: StageContext, data: Any) -> None:
        """Write the messages. Raises LookupError if Kafka is unavailable."""
        from pyspark.sql import functions

        options = _build_options(self.settings)
        require_reachable_kafka(context.spark, options, self.settings["topic"])
        value = functions.to_json(functions.struct("*")).alias("value")
        key = [data[self.settings["key"]].cast("string").alias("key")] if "key" in self.settings else []
        writer = data.select(*key, value).write.format(_FORMAT).options(**options)
        writer.option("topic", self.settings["topic"]).save()


def _build_options(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return Spark's options. Raises LookupError if an environment variable is not set."""
    options = {"kafka.bootstrap.servers": settings["servers"], **settings.get("options", {})}
    for option, variable in settings.get("options_from", {}).items():
        if variable not in os.environ:
            msg = f"the environment variable {variable} for {option} is not set"
            raise LookupError(msg)
        options[option] = os.environ[variable]
    return options


def _resolve_dataset(topic: str) -> MetadataEntity | None:
    urn = dataset_names.build_dataset_urn("kafka", topic)
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (KafkaSource, KafkaSink)
