"""The offsets between which a topic is read: parse them, and read the current end offsets from Kafka."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from jupyter_colophon.spark.error_messages import kind

#: Kafka's own numbers for the two ends of a partition, and how long it has to tell where they are, in seconds.
EARLIEST, LATEST, _PATIENCE_S = -2, -1, 20
#: Offsets by partition.
Offsets = dict[int, int]
_OPTION: Final = "kafka."


def offsets(text: str, topic: str, end: int) -> Offsets:
    """What `{"topic": {"0": 23}}` says; `end` may stand there as an offset. Raises ValueError."""
    try:
        values = json.loads(text)[topic]
        found = {int(partition): offset for partition, offset in values.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        found = {}
    if not found or min(found) < 0 or not all(_is_offset(one, end) for one in found.values()):
        msg = f'is neither the word nor JSON with an offset for each partition: {{"{topic}": {{"0": 23}}}}'
        raise ValueError(msg)
    return found


def require_within(name: str, requested: Offsets, now: Offsets) -> None:
    """Raise LookupError unless these are offsets of a topic whose partitions end `now`."""
    if requested.keys() != now.keys():
        msg = f"{name} has to say an offset for each partition, which are {', '.join(map(str, sorted(now)))}"
        raise LookupError(msg)
    for partition, offset in requested.items():
        if offset > now[partition]:
            msg = f"{name} is beyond the end of partition {partition}, which is {now[partition]}"
            raise LookupError(msg)


def written(topic: str, found: Offsets) -> str:
    """The same as a text."""
    return json.dumps({topic: {str(partition): found[partition] for partition in sorted(found)}})


def ends(spark: Any, options: Mapping[str, str], topic: str) -> Offsets:
    """Where the partitions of a topic end now. Raises LookupError where Kafka does not tell, or has no such topic."""
    with _asking(spark, options, topic) as (consumer, patience):
        found = [one.partition() for one in consumer.partitionsFor(topic, patience) or ()]
        places = [spark._jvm.org.apache.kafka.common.TopicPartition(topic, one) for one in found]
        values = {place.partition(): int(end) for place, end in consumer.endOffsets(places, patience).items()}
    if not values:
        msg = f"Kafka has no topic {topic}"
        raise LookupError(msg)
    return values


def require_answer(spark: Any, options: Mapping[str, str], topic: str) -> None:
    """Raise LookupError where Kafka does not answer; a topic that is not there may be made with the first message."""
    with _asking(spark, options, topic) as (consumer, patience):
        consumer.partitionsFor(topic, patience)


def _is_offset(value: object, end: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and (value >= 0 or value == end)


@contextmanager
def _asking(spark: Any, options: Mapping[str, str], topic: str) -> Iterator[tuple[Any, Any]]:
    """A consumer as Spark makes its own, and a time to wait. Nothing that Kafka's client says is shown: it may hold settings."""
    from py4j.protocol import Py4JJavaError

    jvm = spark._jvm
    values = {name[len(_OPTION) :]: value for name, value in options.items() if name.lower().startswith(_OPTION)}
    try:
        provider = jvm.org.apache.spark.sql.kafka010.KafkaSourceProvider
        settings = provider.kafkaParamsForDriver(jvm.PythonUtils.toScalaMap(values))
        # Who reads makes no topic.
        settings.put("allow.auto.create.topics", "false")
        consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
        try:
            yield consumer, jvm.java.time.Duration.ofSeconds(_PATIENCE_S)
        finally:
            consumer.close(jvm.java.time.Duration.ZERO)
    except Py4JJavaError as error:
        msg = f"Kafka does not tell of the topic {topic} ({kind(error)})"
        raise LookupError(msg) from None
