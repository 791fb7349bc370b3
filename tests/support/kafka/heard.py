"""What is on topics, as anybody reads it."""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import Consumer, Message

#: How long nothing comes before another consumer begins, in seconds.
_SILENT_S = 15


@dataclass(frozen=True)
class Heard:
    """One record."""

    topic: str
    partition: int
    offset: int
    key: str
    event: str
    value: Any

    @property
    def place(self) -> tuple[str, int, int]:
        """Where it stands."""
        return self.topic, self.partition, self.offset


@dataclass
class Listener:
    """Reads topics from their beginning; `heard` is all of it, in the order of each partition.

    A consumer that was told once of no brokers, by one that has just come back, may never hear anything again: where
    nothing comes for long, another one begins, and what was heard before is passed over.
    """

    servers: str
    topics: Sequence[str]
    heard: list[Heard] = field(default_factory=list)
    _places: set[tuple[str, int, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._consumer = _consumer(self.servers, self.topics)

    def wait(self, fits: Callable[[list[Heard]], Any], seconds: float = 300) -> list[Heard]:
        """Read until what was heard fits."""
        since = time.monotonic()
        end = since + seconds
        while not fits(self.heard):
            assert time.monotonic() < end, f"{len(self.heard)} records: {self.heard[-3:]}"
            found = [_heard(one) for one in self._consumer.consume(500, 0.2) if one.error() is None]
            self.heard += [one for one in found if one.place not in self._places]
            self._places |= {one.place for one in found}
            if found:
                since = time.monotonic()
            elif time.monotonic() - since > _SILENT_S:
                self.close()
                self._consumer = _consumer(self.servers, self.topics)
                since = time.monotonic()
        return self.heard

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()


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


def _consumer(servers: str, topics: Sequence[str]) -> Consumer:
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
def listening(servers: str, topics: Sequence[str]) -> Iterator[Listener]:
    """A reader of these topics."""
    listener = Listener(servers, topics)
    try:
        yield listener
    finally:
        listener.close()
