"""Proposals from a topic: each is applied once, as the principal of the settings, and in the order of its partition.

Where the next message stands is kept in our store, in the transaction that applies the one before it; Kafka is told
afterwards. So a message that is handed to us again has no effect, also where the consumer group forgot how far it was.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.access import ALL_ACTIONS, Action, Principal
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.errors import (
    MetadataError,
    Misconfigured,
    StorageError,
    TooLarge,
    TransactionTooLong,
    Unparsable,
    Unreachable,
    shown,
)
from jupyter_colophon.core.inbox import Refusal, about
from jupyter_colophon.core.jsontext import parse
from jupyter_colophon.core.proposal import Proposal, Written
from jupyter_colophon.relay.kafka.connecting import Properties, checked, client, connection
from jupyter_colophon.service.datahub.known import known
from jupyter_colophon.storage import dead_letters, taken
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.storage.taken import Place
from jupyter_colophon.wiring import Catalog, now_ms

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
    """The source of these options. Raises Misconfigured, which shows no value."""
    for name in options:
        if name not in _OPTIONS:
            raise Misconfigured(f"there is no option {shown(str(name))}")
    for name in ("group", "principal", "topic"):
        if not isinstance(told := options.get(name, "x"), str) or not told:
            raise Misconfigured(f"its option {name} must be a name")
    if "principal" not in options:
        raise Misconfigured("its option principal must say as whom proposals are made")
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
        raise Misconfigured(f"its option scopes must be a list of {', '.join(sorted(ALL_ACTIONS))}")
    return frozenset(told)


@dataclass(slots=True)
class Taker:
    """Takes proposals from a topic, in a thread of its own."""

    source: Source
    catalog: Catalog
    #: Whether fields that the model does not know are refused, and not dropped.
    strict: bool
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    #: The topic's own id, as Kafka told it last.
    _id: str = ""
    #: Whether it was said that none come.
    _waited_for: bool = False

    def start(self) -> None:
        """Take from now on."""
        self._thread = threading.Thread(target=self._work, name="colophon-proposals", daemon=True)
        self._thread.start()

    def close(self, patience_s: float) -> None:
        """Take no more; what is under way has so long to be done."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(timeout=patience_s)

    def _work(self) -> None:
        while not self._ended.is_set():
            consumer = client("Consumer", self.source.connection | self.source.consuming | {"error_cb": self._waits})
            try:
                consumer.subscribe([self.source.topic])
                self._take_all(consumer)
            except Exception:
                # Whatever it is, this thread is the only one that takes them.
                _logger.exception("taking proposals from %s failed, and goes on later", shown(self.source.topic))
                self._ended.wait(_PAUSE_S)
            finally:
                # Tells Kafka how far we are.
                consumer.close()

    def _take_all(self, consumer: Any) -> None:
        """Take what comes, until we are to stop or the consumer is of no use any more."""
        since = time.monotonic()
        while not self._ended.is_set():
            message = consumer.poll(_POLL_S)
            if message is not None and message.error() is None:
                self._comes()
                if self._settled(message):
                    _noted(consumer, message)
                since = time.monotonic()
                continue
            if message is not None:
                self._waits(message.error())
            if time.monotonic() - since > _SILENT_S:
                if not self._reaches(consumer):
                    return
                since = time.monotonic()

    def _reaches(self, consumer: Any) -> bool:
        """Whether a consumer that hears nothing still finds Kafka.

        Of a broker that has just come back librdkafka may learn that there are no brokers, forget all that it knew, and
        never look for one again (its issue 5301): then only a new consumer hears what comes.
        """
        from confluent_kafka import KafkaException

        try:
            return bool(consumer.list_topics(self.source.topic, timeout=_THERE_S).brokers)
        except KafkaException as error:
            self._waits(error.args[0])
            return False

    def _comes(self) -> None:
        """Say once that proposals come again, where it was said that none do."""
        if self._waited_for:
            self._waited_for = False
            _logger.warning("proposals of %s are taken again", shown(self.source.topic))

    def _waits(self, error: Any) -> None:
        """Say once why no proposals come."""
        if not self._waited_for:
            self._waited_for = True
            _logger.warning("proposals of %s are waited for: %s", shown(self.source.topic), error.name())

    def _settled(self, message: Any) -> bool:
        """Bring a message to its end, however long the store is away; False where we are to stop before that."""
        away = False
        while not self._ended.is_set():
            try:
                self._settle(message)
                return True
            except (StorageError, Unreachable) as error:
                if not away:
                    _logger.warning("proposals wait: %s", error.detail)
                away = True
                self._ended.wait(_PAUSE_S)
        return False

    def _settle(self, message: Any) -> None:
        """Apply a message, or keep it as a dead letter. Raises StorageError where the store is in the way, Unreachable."""
        place = self._place(message)
        if place is None:
            return
        kept = _beginning(message)
        proposals: tuple[Proposal, ...] = ()
        try:
            text, document = _read(message)
            kept = text
            proposals = (self._proposal(document),)
            self.catalog.write_path.propose(proposals, self.source.principal, around=_once(place))
        except TransactionTooLong as error:
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
        one, dropped = known(self.catalog.registry, found)
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
        return self.catalog.provider.tx_runner.run(lambda tx: taken.is_taken(tx, place), read_only=True)

    def _asked(self) -> str:
        """The topic's id, asked of Kafka. Raises Unreachable."""
        from confluent_kafka import KafkaException, TopicCollection

        topic = self.source.topic
        # What is asked ends with whoever asks.
        admin = client("admin.AdminClient", self.source.connection)
        try:
            found = admin.describe_topics(TopicCollection([topic]))
            return str(found[topic].result(_ASKED_S).topic_id)
        except (KafkaException, TimeoutError) as error:
            raise Unreachable(f"Kafka does not tell of the topic {shown(topic)} ({type(error).__name__})") from None

    def _bury(self, place: Place, text: str, proposals: tuple[Proposal, ...], error: Exception) -> None:
        refusal = Refusal.of(error)
        where = f"{place.partition}/{place.offset}"
        _logger.warning("proposal %s was refused: %s: %s", where, about(proposals) or "unreadable", refusal.detail)

        def bury(tx: TableContext) -> None:
            if not taken.is_taken(tx, place):
                dead_letters.bury_message(tx, text, proposals, self.source.principal, refusal, now_ms())
                taken.note(tx, place)

        self.catalog.provider.tx_runner.run(bury)


def _noted(consumer: Any, message: Any) -> None:
    """Have Kafka told that a message is done, unless its partition is another's by now, who will find that out."""
    from confluent_kafka import KafkaException

    with suppress(KafkaException):
        consumer.store_offsets(message)


def _once(place: Place) -> Callable[[TableContext, Callable[[], list[Written]]], list[Written]]:
    """Apply what stands at a place unless that was done."""

    def once(tx: TableContext, apply: Callable[[], list[Written]]) -> list[Written]:
        if taken.is_taken(tx, place):
            return []
        done = apply()
        taken.note(tx, place)
        return done

    return once


def _read(message: Any) -> tuple[str, Any]:
    """A message's text, and the document that it is. Raises TooLarge, Unparsable."""
    value = message.value()
    if value is None:
        raise Unparsable("the message is empty")
    if len(value) > _LARGEST:
        raise TooLarge(f"the message is larger than {_LARGEST} bytes")
    document = parse(value, "the message")
    return str(value, "utf-8"), document


def _beginning(message: Any) -> str:
    """As much of a message that cannot be read as is kept."""
    return str((message.value() or b"")[:_KEPT], "utf-8", "backslashreplace").replace("\x00", "\\x00")
