"""What is on topics, as anybody reads it."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import Consumer, Message


@dataclass(frozen=True)
class Heard:
    """One record."""

    topic: str
    partition: int
    offset: int
    key: str
    event: str
    value: Any


@dataclass
class Listener:
    """Reads topics from their beginning; `heard` is all of it, in the order of each partition."""

    consumer: Consumer
    heard: list[Heard] = field(default_factory=list)

    def wait(self, fits: Callable[[list[Heard]], Any], seconds: float = 300) -> list[Heard]:
        """Read until what was heard fits."""
        end = time.monotonic() + seconds
        while not fits(self.heard):
            assert time.monotonic() < end, f"{len(self.heard)} records: {self.heard[-3:]}"
            self.heard += [_heard(one) for one in self.consumer.consume(500, 0.2) if one.error() is None]
        return self.heard


def _heard(message: Message) -> Heard:
    headers = {name: value.decode() for name, value in message.headers() or []}
    assert headers.get("content-type") == "application/json"
    return Heard(
        message.topic(),
        message.partition(),
        message.offset(),
        message.key().decode(),
        headers["event-id"],
        json.loads(message.value()),
    )


@contextmanager
def listening(servers: str, topics: Sequence[str]) -> Iterator[Listener]:
    """A reader of these topics."""
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
    try:
        yield Listener(consumer)
    finally:
        consumer.close()
