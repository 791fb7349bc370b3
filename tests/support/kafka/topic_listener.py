"""Read the records of topics with an independent consumer."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import Consumer, Message

#: The silence after which the consumer is replaced, in seconds.
_SILENT_S = 15


@dataclass(frozen=True)
class TopicRecord:
    """One record."""

    topic: str
    partition: int
    offset: int
    key: str
    event: str
    value: Any

    @property
    def topic_position(self) -> tuple[str, int, int]:
        """Topic, partition and offset."""
        return self.topic, self.partition, self.offset


@dataclass
class TopicListener:
    """Read topics from their beginning; `received` has all records in the order of each partition.

    A consumer that a restarted broker once sent an empty list of brokers may never receive anything again. After a
    long silence it is replaced, and records that were already read are skipped.
    """

    servers: str
    topics: Sequence[str]
    received: list[TopicRecord] = field(default_factory=list)
    _places: set[tuple[str, int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._consumer = _create_consumer(self.servers, self.topics)

    def wait_for_records(self, fits: Callable[[list[TopicRecord]], Any], seconds: float = 300) -> list[TopicRecord]:
        """Read until the records match."""
        since = time.monotonic()
        end = since + seconds
        while not fits(self.received):
            assert time.monotonic() < end, f"{len(self.received)} records: {self.received[-3:]}"
            records = [_parse_record(record) for record in self._consumer.consume(500, 0.2) if record.error() is None]
            self.received += [record for record in records if record.topic_position not in self._places]
            self._places |= {record.topic_position for record in records}
            if records:
                since = time.monotonic()
            elif time.monotonic() - since > _SILENT_S:
                self.close()
                self._consumer = _create_consumer(self.servers, self.topics)
                since = time.monotonic()
        return self.received

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()


def _parse_record(message: Message) -> TopicRecord:
    headers = {name: value.decode() for name, value in message.headers() or []}
    assert headers.get("content-type") == "application/json"
    return TopicRecord(
        message.topic(),
        message.partition(),
        message.offset(),
        message.key().decode(),
        headers["event-id"],
        json.loads(message.value()),
    )


def _create_consumer(servers: str, topics: Sequence[str]) -> Consumer:
    settings = {
        "bootstrap.servers": servers,
        "group.id": uuid.uuid4().hex,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "topic.metadata.refresh.interval.ms": 500,
        "allow.auto.create.topics": True,
        "reconnect.backoff.max.ms": 1_000,
        "log_level": 0,
    }
    consumer = Consumer(settings)
    consumer.subscribe(list(topics))
    return consumer


@contextmanager
def open_topic_listener(servers: str, topics: Sequence[str]) -> Iterator[TopicListener]:
    """Open a reader of these topics."""
    listener = TopicListener(servers, topics)
    try:
        yield listener
    finally:
        listener.close()
