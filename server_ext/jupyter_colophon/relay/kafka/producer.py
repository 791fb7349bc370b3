"""Sending records: either Kafka has stored all of them, or an exception explains why not.

The producer is idempotent: retries of librdkafka cause neither duplicates nor reordering. Nothing is in flight when `send_records` returns.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.errors import DeliveryRejected, SinkUnavailable
from jupyter_colophon.relay.kafka.config import Properties, create_kafka_client
from jupyter_colophon.relay.kafka.topics import KafkaRecord

#: Default maximum message size of librdkafka in bytes.
_LARGEST: Final = 1_000_000
#: Errors of a record, as opposed to errors of Kafka or the connection.
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


def build_producer_properties(properties: Properties, timeout_s: float) -> Properties:
    """Return the properties of a producer with the required guarantees, which gives up within the timeout."""
    return {"partitioner": "murmur2_random", "linger.ms": 5} | properties | {
        "enable.idempotence": True,
        "acks": "all",
        "message.timeout.ms": int(timeout_s * 600),
    }  # fmt: skip


@dataclass(slots=True)
class KafkaSender:
    """A producer that is created on first use, and again after it failed."""

    properties: Properties
    timeout_s: float
    _producer: Any = None
    _problems: list[str] = field(default_factory=list)
    _waiting: int = 0
    #: The last connection error of librdkafka.
    _last_error: str = ""

    def send_records(self, records: Sequence[KafkaRecord]) -> None:
        """Send records in order. Raises DeliveryRejected if a record is invalid, SinkUnavailable if Kafka accepts none."""
        largest = int(self.properties.get("message.max.bytes", _LARGEST))
        for record in records:
            if record.size > largest:
                raise DeliveryRejected(f"the record is larger than the maximum of Kafka ({largest} bytes)")
        if self._producer is None:
            self._producer = create_kafka_client("Producer", self.properties | {"error_cb": self._on_error})
        self._problems, self._last_error = [], ""
        end = time.monotonic() + self.timeout_s
        for record in records:
            self._produce(record, end)
        while self._waiting and time.monotonic() < end:
            self._producer.poll(_POLL_S)
        self._raise_delivery_problems()

    def close(self) -> None:
        """Close the connections. Nothing is in flight."""
        if self._producer is not None:
            self._producer.purge()
            self._producer.poll(0)
            self._producer = None

    def _produce(self, record: KafkaRecord, end: float) -> None:
        while True:
            try:
                self._producer.produce(
                    record.topic, record.value, record.key, headers=record.headers, on_delivery=self._on_delivery
                )
            except BufferError:
                # The queue of the client is full.
                if time.monotonic() > end:
                    self._problems.append("_QUEUE_FULL")
                    return
                self._producer.poll(_POLL_S)
            except self._get_kafka_exception_class() as error:
                self._problems.append(error.args[0].name())
                return
            else:
                self._waiting += 1
                return

    def _get_kafka_exception_class(self) -> type[Exception]:
        from confluent_kafka import KafkaException

        return KafkaException

    def _on_delivery(self, error: Any, message: Any) -> None:
        self._waiting -= 1
        if error is not None:
            self._problems.append(error.name())

    def _on_error(self, error: Any) -> None:
        self._last_error = error.name()

    def _raise_delivery_problems(self) -> None:
        """Raise an exception if there were problems. A producer with messages in flight is not used again."""
        if not self._waiting and not self._problems:
            return
        broken = self._waiting or not set(self._problems) <= _OF_THE_RECORD
        if broken:
            # Determine the causes before closing, which adds errors for discarded records.
            causes = ", ".join(dict.fromkeys([*self._problems[:3], *([self._last_error] if self._last_error else [])]))
            self.close()
            self._waiting = 0
            raise SinkUnavailable(f"Kafka did not accept the records ({causes or 'no response'})")
        raise DeliveryRejected(f"Kafka rejected the record ({self._problems[0]})")
