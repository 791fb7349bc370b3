"""The offsets between which a topic is read: parse them, and read the current end offsets from Kafka."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from jupyter_colophon.spark.error_messages import get_error_class

#: Kafka's numbers for the ends of a partition, and the timeout of requests in seconds.
EARLIEST, LATEST, _TIMEOUT_S = -2, -1, 20
#: Offsets by partition.
Offsets = dict[int, int]
_OPTION: Final = "kafka."


def parse_offsets(text: str, topic: str, end: int) -> Offsets:
    """Parse `{"topic": {"0": 23}}`; `end` is also allowed as an offset. Raises ValueError."""
    try:
        values = json.loads(text)[topic]
        offsets = {int(partition): offset for partition, offset in values.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        offsets = {}
    if not offsets or min(offsets) < 0 or not all(_is_offset(value, end) for value in offsets.values()):
        msg = f'must be earliest (from) or latest (until), or JSON with an offset for each partition: {{"{topic}": {{"0": 23}}}}'
        raise ValueError(msg)
    return offsets


def require_offsets_within(name: str, requested: Offsets, now: Offsets) -> None:
    """Raise LookupError unless these are offsets of a topic whose partitions end `now`."""
    if requested.keys() != now.keys():
        msg = f"{name} must have an offset for each partition: {', '.join(map(str, sorted(now)))}"
        raise LookupError(msg)
    for partition, offset in requested.items():
        if offset > now[partition]:
            msg = f"{name} is beyond the end of partition {partition}, which is {now[partition]}"
            raise LookupError(msg)


def format_offsets(topic: str, offsets: Offsets) -> str:
    """Return offsets as text for Spark."""
    return json.dumps({topic: {str(partition): offsets[partition] for partition in sorted(offsets)}})


def read_end_offsets(spark: Any, options: Mapping[str, str], topic: str) -> Offsets:
    """Return the current end offsets of the partitions. Raises LookupError if Kafka is unavailable or has no such topic."""
    with _open_consumer_with_timeout(spark, options, topic) as (consumer, timeout):
        partitions = [partition.partition() for partition in consumer.partitionsFor(topic, timeout) or ()]
        places = [spark._jvm.org.apache.kafka.common.TopicPartition(topic, partition) for partition in partitions]
        values = {place.partition(): int(end) for place, end in consumer.endOffsets(places, timeout).items()}
    if not values:
        msg = f"Kafka has no topic {topic}"
        raise LookupError(msg)
    return values


def require_reachable_kafka(spark: Any, options: Mapping[str, str], topic: str) -> None:
    """Raise LookupError if Kafka does not respond; a missing topic may be created by the first message."""
    with _open_consumer_with_timeout(spark, options, topic) as (consumer, timeout):
        consumer.partitionsFor(topic, timeout)


def _is_offset(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and (value >= 0 or value == end)


@contextmanager
def _open_consumer_with_timeout(spark: Any, options: Mapping[str, str], topic: str) -> Iterator[tuple[Any, Any]]:
    """Open a consumer as Spark does, and yield it with a timeout. Messages of Kafka's client are not shown: they may contain settings."""
    from py4j.protocol import Py4JJavaError

    jvm = spark._jvm
    values = {name[len(_OPTION) :]: value for name, value in options.items() if name.lower().startswith(_OPTION)}
    try:
        provider = jvm.org.apache.spark.sql.kafka010.KafkaSourceProvider
        settings = provider.kafkaParamsForDriver(jvm.PythonUtils.toScalaMap(values))
        # Do not create the topic.
        settings.put("allow.auto.create.topics", "false")
        consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
        try:
            yield consumer, jvm.java.time.Duration.ofSeconds(_TIMEOUT_S)
        finally:
            consumer.close(jvm.java.time.Duration.ZERO)
    except Py4JJavaError as error:
        msg = f"Kafka returned no description of the topic {topic} ({get_error_class(error)})"
        raise LookupError(msg) from None
