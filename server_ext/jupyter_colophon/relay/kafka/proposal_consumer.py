"""Proposals from a topic: each is applied once, as the configured principal, in the order of its partition.

The position is kept in our store, in the transaction that applies the message; it is committed to Kafka afterwards. So a
message that is delivered again has no effect, even if the consumer group has lost its position.
"""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.access import ALL_ACTIONS, Action, Principal
from jupyter_colophon.core.changes.inbox import Rejection, describe_proposals_for_log
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import (
    HeldForReview,
    InvalidConfiguration,
    MalformedBody,
    MetadataError,
    SinkUnavailable,
    StorageError,
    TooLarge,
    TransactionTimeout,
    quote_and_truncate_text,
)
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.relay.kafka.config import (
    Properties,
    create_kafka_client,
    read_connection_properties,
    require_valid_properties,
)
from jupyter_colophon.service.datahub.drop_unknown_fields import drop_unknown_fields
from jupyter_colophon.storage.changes import consumed_offsets, dead_letters
from jupyter_colophon.storage.changes.consumed_offsets import MessagePosition
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

TOPIC: Final = "MetadataChangeProposal_v1"
_OPTIONS: Final = ("group", "principal", "properties_file", "scopes", "servers", "topic")
#: Maximum size of a message in bytes, and the number of bytes that are kept of an unreadable one.
_LARGEST, _KEPT_BYTES = 1_000_000, 64 * 1024
_POLL_S, _PAUSE_S, _REQUEST_TIMEOUT_S = 0.5, 2.0, 10.0
#: Seconds without messages until the connection is checked, and the timeout of the check.
_SILENCE_S, _PROBE_TIMEOUT_S = 10.0, 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


@dataclass(frozen=True, slots=True)
class ProposalSource:
    """The topic of proposals, and the principal that submits them."""

    topic: str
    principal: Principal
    connection: Properties = field(repr=False)
    #: Further properties of the consumer.
    consuming: Properties


def read_proposal_source(options: Mapping[str, Any]) -> ProposalSource:
    """Return the source for these options. Raises InvalidConfiguration, which shows no value."""
    for name in options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {quote_and_truncate_text(str(name))}")
    for name in ("group", "principal", "topic"):
        if not isinstance(value := options.get(name, "x"), str) or not value:
            raise InvalidConfiguration(f"the option {name} must be a name")
    if "principal" not in options:
        raise InvalidConfiguration("the option principal must name the user that submits the proposals")
    connection = read_connection_properties(options)
    consuming = {
        "group.id": options.get("group", "jupyter-colophon"),
        "auto.offset.reset": "earliest",
        # Only applied messages are committed, every few seconds and at the end.
        "enable.auto.offset.store": False,
    }
    # Find a topic soon that is created later.
    connection = {"topic.metadata.refresh.interval.ms": 10_000} | connection
    require_valid_properties(connection | consuming, "Consumer")
    return ProposalSource(
        options.get("topic", TOPIC), Principal(options["principal"], None, _read_scopes(options)), connection, consuming
    )


def _read_scopes(options: Mapping[str, Any]) -> frozenset[Action]:
    scopes = options.get("scopes", ("read", "emit"))
    if not isinstance(scopes, list | tuple) or not all(scope in ALL_ACTIONS for scope in scopes):
        raise InvalidConfiguration(f"the option scopes must be a list of {', '.join(sorted(ALL_ACTIONS))}")
    return frozenset(scopes)


@dataclass(slots=True)
class ProposalConsumer:
    """Consume proposals from a topic, on a separate thread."""

    source: ProposalSource
    catalog: Catalog
    #: Whether unknown fields are rejected instead of dropped.
    strict: bool
    #: The topic's own id, as Kafka reported it last.
    _id: str = ""
    _consumer: Any = None
    #: The message that could not be applied yet, because the store or Kafka is unavailable.
    _pending: Any = None
    #: When Kafka was last reached (monotonic).
    _reached: float = 0.0
    _kafka_outage: LoggedOutage = field(init=False)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Create the thread."""
        subject = f"proposals from the Kafka topic {quote_and_truncate_text(self.source.topic)}"
        self._kafka_outage = LoggedOutage(_logger, subject)
        self._worker = Worker(
            "colophon-proposals",
            self._consume_next_message,
            _logger,
            f"applying {subject}",
            backoff=Backoff(_PAUSE_S, _PAUSE_S),
            unavailable=(StorageError, SinkUnavailable),
            finish=self._close_consumer,
        )

    def start(self) -> None:
        """Start consuming."""
        self._worker.start()

    def close(self, timeout_s: float) -> None:
        """Stop consuming; a message that is being applied has this long to finish."""
        self._worker.close(timeout_s)

    def _consume_next_message(self) -> float:
        """Apply the next message, if there is one. Raises StorageError, SinkUnavailable: the message then stays pending."""
        try:
            self._poll_and_apply()
        except (StorageError, SinkUnavailable):
            raise
        except BaseException:
            self._close_consumer()
            raise
        return 0.0

    def _poll_and_apply(self) -> None:
        consumer = self._get_or_open_consumer()
        message, self._pending = self._pending or consumer.poll(_POLL_S), None
        if message is not None and message.error() is None:
            self._kafka_outage.end()
            self._pending = message
            self._apply_or_reject_message(message)
            self._pending = None
            _mark_done_for_commit(consumer, message)
            self._reached = time.monotonic()
            return
        if message is not None:
            self._kafka_outage.begin(message.error().name())
        if time.monotonic() - self._reached > _SILENCE_S:
            if self._can_reach_broker(consumer):
                self._reached = time.monotonic()
            else:
                self._close_consumer()

    def _get_or_open_consumer(self) -> Any:
        if self._consumer is None:
            on_error = {"error_cb": lambda error: self._kafka_outage.begin(error.name())}
            self._consumer = create_kafka_client("Consumer", self.source.connection | self.source.consuming | on_error)
            self._consumer.subscribe([self.source.topic])
            self._reached = time.monotonic()
        return self._consumer

    def _close_consumer(self) -> None:
        """Close the consumer, which commits its position to Kafka."""
        consumer, self._consumer, self._pending = self._consumer, None, None
        if consumer is not None:
            consumer.close()

    def _can_reach_broker(self, consumer: Any) -> bool:
        """Return whether an idle consumer still reaches Kafka.

        After a restart of a broker librdkafka may receive an empty list of brokers, and then never look for one again (its issue
        5301): only a new consumer receives messages then.
        """
        from confluent_kafka import KafkaException

        try:
            return bool(consumer.list_topics(self.source.topic, timeout=_PROBE_TIMEOUT_S).brokers)
        except KafkaException as error:
            self._kafka_outage.begin(error.args[0].name())
            return False

    def _apply_or_reject_message(self, message: Any) -> None:
        """Apply a message, or store it as a dead letter. Raises StorageError if the store is unavailable, SinkUnavailable."""
        place = self._find_unapplied_position(message)
        if place is None:
            return
        text_to_store = _read_text_beginning(message)
        proposals: tuple[Proposal, ...] = ()
        try:
            text, document = _read_message(message)
            text_to_store = text
            proposals = (self._parse_proposal(document),)
            self.catalog.write_path.apply_proposals_atomically(
                proposals, self.source.principal, in_transaction=_apply_once(place)
            )
        except HeldForReview as held:
            _logger.info("%s", held.detail)
        except TransactionTimeout as error:
            # The message causes it, and would block the others forever.
            self._store_dead_letter(place, text_to_store, proposals, error)
        except StorageError:
            raise
        except MetadataError as error:
            self._store_dead_letter(place, text_to_store, proposals, error)
        except Exception as error:
            _logger.exception("a proposal failed")
            self._store_dead_letter(place, text_to_store, proposals, error)

    def _parse_proposal(self, document: Any) -> Proposal:
        proposal = mcp.read_proposal(document, self.catalog.registry)
        if self.strict:
            return proposal
        known_part, dropped = drop_unknown_fields(self.catalog.registry, proposal)
        for pointer in dropped:
            _logger.warning("dropped a field that the model does not know: %s", quote_and_truncate_text(pointer))
        return known_part

    def _find_unapplied_position(self, message: Any) -> MessagePosition | None:
        """Return the position of a message; None if it was applied. The topic id is read again first: the topic may have been recreated."""
        for topic_id in (self._id, ""):
            self._id = topic_id or self._fetch_topic_id()
            place = MessagePosition(self._id, message.partition(), message.offset())
            if not self._was_applied(place):
                return place
        return None

    def _was_applied(self, message_position: MessagePosition) -> bool:
        return self.catalog.provider.tx_runner.run(
            lambda tx: consumed_offsets.is_consumed(tx, message_position), read_only=True
        )

    def _fetch_topic_id(self) -> str:
        """Return the topic's id from Kafka. Raises SinkUnavailable."""
        from confluent_kafka import KafkaException, TopicCollection

        topic = self.source.topic
        # The request fails if the client is garbage-collected.
        admin = create_kafka_client("admin.AdminClient", self.source.connection)
        try:
            topics = admin.describe_topics(TopicCollection([topic]))
            return str(topics[topic].result(_REQUEST_TIMEOUT_S).topic_id)
        except (KafkaException, TimeoutError) as error:
            raise SinkUnavailable(
                f"Kafka returned no description of the topic {quote_and_truncate_text(topic)} ({type(error).__name__})"
            ) from None

    def _store_dead_letter(
        self, message_position: MessagePosition, text: str, proposals: tuple[Proposal, ...], error: Exception
    ) -> None:
        refusal = Rejection.from_error(error)
        where = f"{message_position.partition}/{message_position.offset}"
        _logger.warning(
            "proposal %s was rejected: %s: %s",
            where,
            describe_proposals_for_log(proposals) or "unreadable",
            refusal.detail,
        )

        def record(tx: TableContext) -> None:
            if not consumed_offsets.is_consumed(tx, message_position):
                dead_letters.add_letter_of_message(tx, text, proposals, self.source.principal, refusal, read_time_ms())
                consumed_offsets.record_consumed_offset(tx, message_position)

        self.catalog.provider.tx_runner.run(record)


def _mark_done_for_commit(consumer: Any, message: Any) -> None:
    """Mark a message as done for the next commit to Kafka, unless its partition is assigned to another consumer now."""
    from confluent_kafka import KafkaException

    with suppress(KafkaException):
        consumer.store_offsets(message)


def _apply_once(
    message_position: MessagePosition,
) -> Callable[[TableContext, Callable[[], list[ProposalResult]]], list[ProposalResult]]:
    """Return a function that applies the message at a position, unless it was applied before."""

    def run(tx: TableContext, apply: Callable[[], list[ProposalResult]]) -> list[ProposalResult]:
        if consumed_offsets.is_consumed(tx, message_position):
            return []
        done = apply()
        consumed_offsets.record_consumed_offset(tx, message_position)
        return done

    return run


def _read_message(message: Any) -> tuple[str, Any]:
    """Return a message's text and document. Raises TooLarge, MalformedBody."""
    value = message.value()
    if value is None:
        raise MalformedBody("the message is empty")
    if len(value) > _LARGEST:
        raise TooLarge(f"the message is larger than {_LARGEST} bytes")
    document = parse_json(value, "the message")
    return str(value, "utf-8"), document


def _read_text_beginning(message: Any) -> str:
    """Return the part of an unreadable message that is kept."""
    return str((message.value() or b"")[:_KEPT_BYTES], "utf-8", "backslashreplace").replace("\x00", "\\x00")
