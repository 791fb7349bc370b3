"""Topics of Kafka, read from one place to another, and written."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Columns, Sink, Source, absent
from jupyter_colophon.pipelines.plugins import ddl, shapes
from jupyter_colophon.pipelines.plugins.topic import (
    EARLIEST,
    LATEST,
    Offsets,
    ends,
    offsets,
    require_answer,
    require_within,
    written,
)
from jupyter_colophon.spark.names import dataset_names

_FORMAT = "kafka"
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
#: The word for each end, and its number where it stands for one partition.
_ENDS = {"from": ("earliest", EARLIEST), "until": ("latest", LATEST)}
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
        return _dataset(self.settings["topic"])

    def columns(self, inputs: Sequence[Columns]) -> Columns:
        """Those of the schema, or what Kafka tells of a message."""
        return ddl.names(self.settings["schema"]) if "schema" in self.settings else _META

    def connector(self) -> str:
        """Kafka's."""
        return _FORMAT

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Offsets that are none, or are those of another topic."""
        for name in _ENDS:
            try:
                self._requested(name)
            except ValueError as error:
                yield Problem(f"/{name}", str(error))

    def read(self, context: StageContext) -> Any:
        """The messages that are there now. Raises LookupError where Kafka or the topic is not."""
        from pyspark.sql import functions

        options, topic = _options(self.settings), self.settings["topic"]
        begin, end = self._places(ends(context.spark, options, topic))
        context.log(f"reads up to {end}")
        reader = context.spark.read.format(_FORMAT).options(**options)
        data = reader.options(subscribe=topic, startingOffsets=begin, endingOffsets=end).load()
        data = data.select(*(functions.col(name).cast("string").alias(name) for name in ("key", "value")), *_META[2:])
        if "schema" not in self.settings:
            return data
        return data.select(functions.from_json("value", self.settings["schema"]).alias("parsed")).select("parsed.*")

    def _requested(self, name: str) -> Offsets | None:
        """The offsets of `from` or `until`; None where it is the word."""
        word, end = _ENDS[name]
        position = self.settings.get(name, word)
        return None if position == word else offsets(position, self.settings["topic"], end)

    def _places(self, now: Offsets) -> tuple[str, str]:
        """Return the start and end offsets for Spark. Raises LookupError if the topic has no such offset.

        The end is in numbers: Spark reads again for each stage that works on the data, and all are to find the same.
        """
        topic, begin, end = self.settings["topic"], self._requested("from"), self._requested("until")
        for name, requested in (("from", begin), ("until", end)):
            if requested is not None:
                require_within(name, requested, now)
        until = {
            partition: now[partition] if offset == LATEST else offset for partition, offset in (end or now).items()
        }
        return ("earliest" if begin is None else written(topic, begin)), written(topic, until)


class KafkaSink(Sink):
    """Writes rows as messages."""

    name = "kafka"
    title = "Kafka"
    description = "Each row a message of a topic, as JSON. What a failed try has written stays there"
    properties = {**_PLACE, "key": shapes.text("Key", "The column that is the messages' key")}
    required = ("servers", "topic")

    def dataset(self, namespace: str) -> MetadataEntity | None:
        """The topic."""
        return _dataset(self.settings["topic"])

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """A key that does not come in."""
        return absent("/key", [self.settings["key"]] if "key" in self.settings else (), next(iter(inputs), None))

    def connector(self) -> str:
        """Kafka's."""
        return _FORMAT

    def write(self, context: StageContext, data: Any) -> None:
        """The messages. Raises LookupError where Kafka is not."""
        from pyspark.sql import functions

        options = _options(self.settings)
        require_answer(context.spark, options, self.settings["topic"])
        value = functions.to_json(functions.struct("*")).alias("value")
        key = [data[self.settings["key"]].cast("string").alias("key")] if "key" in self.settings else []
        writer = data.select(*key, value).write.format(_FORMAT).options(**options)
        writer.option("topic", self.settings["topic"]).save()


def _options(settings: Mapping[str, Any]) -> dict[str, str]:
    """Spark's options. Raises LookupError where the environment has no such variable."""
    found = {"kafka.bootstrap.servers": settings["servers"], **settings.get("options", {})}
    for option, variable in settings.get("options_from", {}).items():
        if variable not in os.environ:
            msg = f"the environment has no variable {variable}, which should have {option}"
            raise LookupError(msg)
        found[option] = os.environ[variable]
    return found


def _dataset(topic: str) -> MetadataEntity | None:
    urn = dataset_names.dataset("kafka", topic)
    return None if urn is None else MetadataEntity(urn)


PLUGINS = (KafkaSource, KafkaSink)
