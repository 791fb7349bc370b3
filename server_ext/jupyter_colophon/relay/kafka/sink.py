"""The sink of kind `kafka`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import DeliveryRejected, InvalidConfiguration, quote_and_truncate_text
from jupyter_colophon.relay.kafka.config import read_connection_properties, require_valid_properties
from jupyter_colophon.relay.kafka.producer import KafkaSender, build_producer_properties
from jupyter_colophon.relay.kafka.topics import KafkaRecord, RecordBuilder, read_topics
from jupyter_colophon.relay.sink_protocol import SinkContext

_OPTIONS: Final = ("properties_file", "servers", "topics")


def create(context: SinkContext) -> "KafkaChangeSink":
    """Create the sink from its options. Raises InvalidConfiguration, which shows no value."""
    for name in context.options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {quote_and_truncate_text(str(name))}")
    named = read_topics(context.options.get("topics"))
    properties = build_producer_properties(read_connection_properties(context.options), context.timeout_seconds)
    require_valid_properties(properties, "Producer")
    return KafkaChangeSink(
        RecordBuilder(context.formatter, named, context.origin), KafkaSender(properties, context.timeout_seconds)
    )


@dataclass(slots=True)
class KafkaChangeSink:
    """Send changes to topics. Its repr contains no password."""

    builder: RecordBuilder
    sender: KafkaSender = field(repr=False)

    @property
    def is_local(self) -> bool:
        """Return False: it is shared by all processes."""
        return False

    def deliver(self, changes: Sequence[Change]) -> None:
        """Send all records of the changes. Raises DeliveryRejected, SinkUnavailable."""
        self.sender.send_records(
            self._build_records_or_reject(
                lambda: [record for change in changes for record in self.builder.build_change_records(change)]
            )
        )

    def deliver_failure(self, letter: DeadLetter, failure_number: int) -> None:
        """Send the records of a dead letter. Raises DeliveryRejected, SinkUnavailable."""
        self.sender.send_records(
            self._build_records_or_reject(lambda: list(self.builder.build_failure_records(letter, failure_number)))
        )

    def close(self) -> None:
        """Close the connections."""
        self.sender.close()

    def _build_records_or_reject(self, build: Callable[[], list[KafkaRecord]]) -> list[KafkaRecord]:
        try:
            return build()
        except Exception as error:
            # A retry would fail in the same way.
            raise DeliveryRejected(f"the change cannot be serialized ({type(error).__name__})") from error
