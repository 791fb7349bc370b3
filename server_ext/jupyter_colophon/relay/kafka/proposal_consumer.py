"""Proposals from a topic: each is applied once, as the principal of the settings, and in the order of its partition.

Where the next message stands is kept in our store, in the transaction that applies the one before it; Kafka is told
afterwards. So a message that is handed to us again has no effect, also where the consumer group forgot how far it was.
"""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.composition import Catalog, now_ms
from jupyter_colophon.core.access import ALL_ACTIONS, Action, Principal
from jupyter_colophon.core.changes.inbox import Refusal, about
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import (
    InvalidConfiguration,
    MalformedBody,
    MetadataError,
    SinkUnavailable,
    StorageError,
    TooLarge,
    TransactionTimeout,
    shown,
)
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.relay.kafka.config import Properties, checked, client, connection
from jupyter_colophon.service.datahub.drop_unknown_fields import drop_unknown_fields
from jupyter_colophon.storage.changes import consumed_offsets, dead_letters
from jupyter_colophon.storage.changes.consumed_offsets import Place
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, LoggedOutage, Worker

TOPIC: Final = "MetadataChangeProposal_v1"
_OPTIONS: Final = ("group", "principal", "properties_file", "scopes", "servers", "topic")
#: The largest message that is read, and how much of one that cannot be read is kept.
_LARGEST, _KEPT = 1_000_000, 64 * 1024
_POLL_S, _PAUSE_S, _ASKED_S = 0.5, 2.0, 10.0
#: How long nothing comes before Kafka is asked whether it is there, and how long it may take to say so, in seconds.
_SILENT_S, _THERE_S = 10.0, 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


@dataclass(frozen=True, slots=True)
class Source:
    """Where proposals come from, and as whom they are made."""

    topic: str
    principal: Principal
    connection: Properties = field(repr=False)
    #: What a consumer is told besides.
    consuming: Properties


def source(options: Mapping[str, Any]) -> Source:
    """The source of these options. Raises InvalidConfiguration, which shows no value."""
    for name in options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {shown(str(name))}")
    for name in ("group", "principal", "topic"):
        if not isinstance(told := options.get(name, "x"), str) or not told:
            raise InvalidConfiguration(f"the option {name} must be a name")
    if "principal" not in options:
        raise InvalidConfiguration("the option principal must name the user in whose name proposals are made")
    to = connection(options)
    consuming = {
        "group.id": options.get("group", "jupyter-colophon"),
        "auto.offset.reset": "earliest",
        # Only what is done is told, every few seconds and at the end.
        "enable.auto.offset.store": False,
    }
    # A topic that is made later is found soon.
    to = {"topic.metadata.refresh.interval.ms": 10_000} | to
    checked(to | consuming, "Consumer")
    return Source(options.get("topic", TOPIC), Principal(options["principal"], None, _scopes(options)), to, consuming)


def _scopes(options: Mapping[str, Any]) -> frozenset[Action]:
    told = options.get("scopes", ("read", "emit"))
    if not isinstance(told, list | tuple) or not all(one in ALL_ACTIONS for one in told):
        raise InvalidConfiguration(f"the option scopes must be a list of {', '.join(sorted(ALL_ACTIONS))}")
    return frozenset(told)


@dataclass(slots=True)
class ProposalConsumer:
    """Consumes proposals from a topic, in a thread of its own."""

    source: Source
    catalog: Catalog
    #: Whether fields that the model does not know are refused, and not dropped.
    strict: bool
    #: The topic's own id, as Kafka reported it last.
    _id: str = ""
    _consumer: Any = None
    #: The message that could not be applied yet, because the store or Kafka is unavailable.
    _pending: Any = None
    #: When Kafka was last known to be there (monotonic).
    _reached: float = 0.0
    _kafka_outage: LoggedOutage = field(init=False)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread."""
        subject = f"proposals of {shown(self.source.topic)}"
        self._kafka_outage = LoggedOutage(_logger, subject)
        self._worker = Worker(
            "colophon-proposals",
            self._consume_one,
            _logger,
            f"applying {subject}",
            backoff=Backoff(_PAUSE_S, _PAUSE_S),
            unavailable=(StorageError, SinkUnavailable),
            finish=self._leave,
        )

    def start(self) -> None:
        """Consume from now on."""
        self._worker.start()

    def close(self, timeout_s: float) -> None:
        """Consume no more; the message that is being applied has this long."""
        self._worker.close(timeout_s)

    def _consume_one(self) -> float:
        """Apply the next message, if one comes. Raises StorageError, SinkUnavailable: the message then stays pending."""
        try:
            self._poll_and_settle()
        except (StorageError, SinkUnavailable):
            raise
        except BaseException:
            self._leave()
            raise
        return 0.0

    def _poll_and_settle(self) -> None:
        consumer = self._join()
        message, self._pending = self._pending or consumer.poll(_POLL_S), None
        if message is not None and message.error() is None:
            self._kafka_outage.end()
            self._pending = message
            self._settle(message)
            self._pending = None
            _store_offset(consumer, message)
            self._reached = time.monotonic()
            return
        if message is not None:
            self._kafka_outage.begin(message.error().name())
        if time.monotonic() - self._reached > _SILENT_S:
            if self._reaches(consumer):
                self._reached = time.monotonic()
            else:
                self._leave()

    def _join(self) -> Any:
        if self._consumer is None:
            on_error = {"error_cb": lambda error: self._kafka_outage.begin(error.name())}
            self._consumer = client("Consumer", self.source.connection | self.source.consuming | on_error)
            self._consumer.subscribe([self.source.topic])
            self._reached = time.monotonic()
        return self._consumer

    def _leave(self) -> None:
        """Close the consumer, which commits to Kafka how far we are."""
        consumer, self._consumer, self._pending = self._consumer, None, None
        if consumer is not None:
            consumer.close()

    def _reaches(self, consumer: Any) -> bool:
        """Whether a consumer that hears nothing still finds Kafka.

        Of a broker that has just come back librdkafka may learn that there are no brokers, forget all that it knew, and
        never look for one again (its issue 5301): then only a new consumer hears what comes.
        """
        from confluent_kafka import KafkaException

        try:
            return bool(consumer.list_topics(self.source.topic, timeout=_THERE_S).brokers)
        except KafkaException as error:
            self._kafka_outage.begin(error.args[0].name())
            return False

    def _settle(self, message: Any) -> None:
        """Apply a message, or keep it as a dead letter. Raises StorageError where the store is in the way, SinkUnavailable."""
        place = self._place(message)
        if place is None:
            return
        kept = _beginning(message)
        proposals: tuple[Proposal, ...] = ()
        try:
            text, document = _read(message)
            kept = text
            proposals = (self._proposal(document),)
            self.catalog.write_path.propose(proposals, self.source.principal, in_transaction=_once(place))
        except TransactionTimeout as error:
            # That is its own fault: it would hold up the others for ever.
            self._bury(place, kept, proposals, error)
        except StorageError:
            raise
        except MetadataError as error:
            self._bury(place, kept, proposals, error)
        except Exception as error:
            _logger.exception("a proposal failed")
            self._bury(place, kept, proposals, error)

    def _proposal(self, document: Any) -> Proposal:
        found = replace(mcp.proposal(document, self.catalog.registry), united=True)
        if self.strict:
            return found
        one, dropped = drop_unknown_fields(self.catalog.registry, found)
        for pointer in dropped:
            _logger.warning("dropped a field that the model does not know: %s", shown(pointer))
        return one

    def _place(self, message: Any) -> Place | None:
        """Where a message stands; None where it was taken. A topic that was made anew is looked at before that is said."""
        for told in (self._id, ""):
            self._id = told or self._asked()
            place = Place(self._id, message.partition(), message.offset())
            if not self._is_taken(place):
                return place
        return None

    def _is_taken(self, place: Place) -> bool:
        return self.catalog.provider.tx_runner.run(lambda tx: consumed_offsets.is_taken(tx, place), read_only=True)

    def _asked(self) -> str:
        """The topic's id, asked of Kafka. Raises SinkUnavailable."""
        from confluent_kafka import KafkaException, TopicCollection

        topic = self.source.topic
        # What is asked ends with whoever asks.
        admin = client("admin.AdminClient", self.source.connection)
        try:
            found = admin.describe_topics(TopicCollection([topic]))
            return str(found[topic].result(_ASKED_S).topic_id)
        except (KafkaException, TimeoutError) as error:
            raise SinkUnavailable(f"Kafka does not tell of the topic {shown(topic)} ({type(error).__name__})") from None

    def _bury(self, place: Place, text: str, proposals: tuple[Proposal, ...], error: Exception) -> None:
        refusal = Refusal.of(error)
        where = f"{place.partition}/{place.offset}"
        _logger.warning("proposal %s was refused: %s: %s", where, about(proposals) or "unreadable", refusal.detail)

        def bury(tx: TableContext) -> None:
            if not consumed_offsets.is_taken(tx, place):
                dead_letters.bury_message(tx, text, proposals, self.source.principal, refusal, now_ms())
                consumed_offsets.note(tx, place)

        self.catalog.provider.tx_runner.run(bury)


def _store_offset(consumer: Any, message: Any) -> None:
    """Have Kafka told that a message is done, unless its partition is another's by now, who will find that out."""
    from confluent_kafka import KafkaException

    with suppress(KafkaException):
        consumer.store_offsets(message)


def _once(place: Place) -> Callable[[TableContext, Callable[[], list[Written]]], list[Written]]:
    """Apply what stands at a place unless that was done."""

    def once(tx: TableContext, apply: Callable[[], list[Written]]) -> list[Written]:
        if consumed_offsets.is_taken(tx, place):
            return []
        done = apply()
        consumed_offsets.note(tx, place)
        return done

    return once


def _read(message: Any) -> tuple[str, Any]:
    """A message's text, and the document that it is. Raises TooLarge, MalformedBody."""
    value = message.value()
    if value is None:
        raise MalformedBody("the message is empty")
    if len(value) > _LARGEST:
        raise TooLarge(f"the message is larger than {_LARGEST} bytes")
    document = parse(value, "the message")
    return str(value, "utf-8"), document


def _beginning(message: Any) -> str:
    """As much of a message that cannot be read as is kept."""
    return str((message.value() or b"")[:_KEPT], "utf-8", "backslashreplace").replace("\x00", "\\x00")
