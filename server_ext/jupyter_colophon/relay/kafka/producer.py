"""Sending records: all of them are taken by Kafka, or the caller is told why not.

The producer is idempotent: what librdkafka sends again is there once, in order. Nothing is in flight when `send` returns.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.errors import DeliveryRejected, SinkUnavailable
from jupyter_colophon.relay.kafka.config import Properties, client
from jupyter_colophon.relay.kafka.topics import Record

#: What librdkafka takes at most unless its properties say so, in bytes.
_LARGEST: Final = 1_000_000
#: What is wrong with a record, and not with Kafka or the way to it.
_OF_THE_RECORD: Final = frozenset(
    {
        "INVALID_MSG",
        "INVALID_MSG_SIZE",
        "INVALID_RECORD",
        "INVALID_TIMESTAMP",
        "MSG_SIZE_TOO_LARGE",
        "POLICY_VIOLATION",
        "RECORD_LIST_TOO_LARGE",
    }
)
_POLL_S: Final = 0.1


def producing(properties: Properties, timeout_s: float) -> Properties:
    """What a producer is told, so that it keeps our promises and gives up within the limit."""
    return {"partitioner": "murmur2_random", "linger.ms": 5} | properties | {
        "enable.idempotence": True,
        "acks": "all",
        "message.timeout.ms": int(timeout_s * 600),
    }  # fmt: skip


@dataclass(slots=True)
class Sender:
    """One producer, made when it is first used, and anew after it broke."""

    properties: Properties
    timeout_s: float
    _producer: Any = None
    _problems: list[str] = field(default_factory=list)
    _waiting: int = 0
    #: What librdkafka said last of the way to Kafka.
    _said: str = ""

    def send(self, records: Sequence[Record]) -> None:
        """Send them, in order. Raises DeliveryRejected where a record cannot be sent, SinkUnavailable where none can be."""
        largest = int(self.properties.get("message.max.bytes", _LARGEST))
        for one in records:
            if one.size > largest:
                raise DeliveryRejected(f"it is larger than Kafka takes ({largest} bytes)")
        if self._producer is None:
            self._producer = client("Producer", self.properties | {"error_cb": self._heard})
        self._problems, self._said = [], ""
        end = time.monotonic() + self.timeout_s
        for one in records:
            self._give(one, end)
        while self._waiting and time.monotonic() < end:
            self._producer.poll(_POLL_S)
        self._judge()

    def close(self) -> None:
        """Let go of the connections. Nothing is in flight."""
        if self._producer is not None:
            self._producer.purge()
            self._producer.poll(0)
            self._producer = None

    def _give(self, one: Record, end: float) -> None:
        while True:
            try:
                self._producer.produce(one.topic, one.value, one.key, headers=one.headers, on_delivery=self._done)
            except BufferError:
                # As much as fits is on its way.
                if time.monotonic() > end:
                    self._problems.append("_QUEUE_FULL")
                    return
                self._producer.poll(_POLL_S)
            except self._refusals() as error:
                self._problems.append(error.args[0].name())
                return
            else:
                self._waiting += 1
                return

    def _refusals(self) -> type[Exception]:
        from confluent_kafka import KafkaException

        return KafkaException

    def _done(self, error: Any, message: Any) -> None:
        self._waiting -= 1
        if error is not None:
            self._problems.append(error.name())

    def _heard(self, error: Any) -> None:
        self._said = error.name()

    def _judge(self) -> None:
        """Raise what came of it, unless all is well. A producer that has more to say is not used again."""
        if not self._waiting and not self._problems:
            return
        broken = self._waiting or not set(self._problems) <= _OF_THE_RECORD
        if broken:
            # What is thrown away by closing is no cause.
            causes = ", ".join(dict.fromkeys([*self._problems[:3], *([self._said] if self._said else [])]))
            self.close()
            self._waiting = 0
            raise SinkUnavailable(f"Kafka takes nothing ({causes or 'no answer'})")
        raise DeliveryRejected(f"Kafka refuses it ({self._problems[0]})")
