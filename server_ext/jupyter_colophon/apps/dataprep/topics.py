"""Connections to Kafka: its topics, and samples of their messages."""

import csv
import json
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Self

from jupyter_colophon.apps import BadRequest, NotFound, ServiceContext
from jupyter_colophon.apps.dataprep.connection import Entry, parse_secret_name, read_password, select_set_members
from jupyter_colophon.apps.dataprep.hosts import require_permitted_hosts
from jupyter_colophon.apps.shipped.bodies import Body
from jupyter_colophon.apps.shipped.samples import ROWS_DEFAULT, ROWS_MAX, Sample, build_sample
from jupyter_colophon.wrangling.column_names import name_values

_SERVER: Final = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):([0-9]{1,5})")
_SERVERS_MAX: Final = 20
_SECURITY: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
#: How long an answer of a server, and all messages of a sample, may take, in seconds.
_ANSWER_S, _READING_S, _POLL_S = 5.0, 20.0, 0.5
_TOPICS_MAX: Final = 2_000
_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class KafkaConnection:
    """Servers of Kafka."""

    members: ClassVar[tuple[str, ...]] = ("servers", "security", "mechanism", "user", "passwordSecret", "format")
    sample_members: ClassVar[tuple[str, ...]] = ("path", "format", "from", "limit")
    servers: str
    security: str
    mechanism: str
    user: str
    password_secret: str
    #: The format of messages, unless a sample differs.
    format: str

    @classmethod
    def from_body(cls, context: ServiceContext, body: Body) -> Self:
        """Return the connection of a document. Raises BadRequest."""
        security = body.get_choice("security", _SECURITY, "PLAINTEXT")
        has_user = security.startswith("SASL")
        if not has_user and body.document.keys() & {"mechanism", "user", "passwordSecret"}:
            raise BadRequest(
                "the members mechanism, user and passwordSecret need the security SASL_PLAINTEXT or SASL_SSL"
            )
        connection = cls(
            body.get_text("servers"),
            security,
            body.get_choice("mechanism", _MECHANISMS, "PLAIN") if has_user else "",
            body.get_text("user") if has_user else "",
            parse_secret_name(body),
            _parse_format(body, "json"),
        )
        if has_user and not connection.password_secret:
            raise BadRequest(f"the security {security} needs the member passwordSecret")
        connection._require_permitted()
        return connection

    def get_properties(self) -> Mapping[str, Any]:
        """Return the members that are set."""
        return select_set_members(
            {
                "servers": self.servers,
                "security": self.security,
                "mechanism": self.mechanism,
                "user": self.user,
                "passwordSecret": self.password_secret,
                "format": self.format,
            }
        )

    def test(self, context: ServiceContext) -> str:
        """Return the number of topics. Raises BadRequest."""
        count = len(self.list_entries(context, ""))
        return f"Kafka with {count} {'topic' if count == 1 else 'topics'}"

    def list_entries(self, context: ServiceContext, path: str) -> list[Entry]:
        """Return the topics, without internal ones. Raises NotFound, BadRequest."""
        if path:
            raise NotFound("path", path)
        with self._open(context) as consumer:
            topics = consumer.list_topics(timeout=_ANSWER_S).topics
        return [
            {
                "name": name,
                "type": "topic",
                "path": name,
                "partitions": len(topic.partitions),
                "canBrowse": False,
                "canSample": True,
            }
            for name, topic in sorted(topics.items())[:_TOPICS_MAX]
            if not name.startswith("__")
        ]

    def read_sample(self, context: ServiceContext, body: Body) -> tuple[dict[str, Any], Sample]:
        """Return the topic and how its messages are read, and the sample. Raises NotFound, BadRequest."""
        topic, format_ = body.get_text("path"), _parse_format(body, self.format)
        begin = body.get_choice("from", ("earliest", "latest"), "earliest")
        limit = body.get_number("limit", ROWS_DEFAULT, ROWS_MAX, 1)
        seconds = min(_READING_S, context.get_remaining_seconds())
        with self._open(context) as consumer:
            messages = _read_messages(consumer, topic, begin, limit, seconds)
        read = _READERS[format_]
        sample = build_sample(read(message) for message in messages if format_ == "text" or message.value() is not None)
        return {**self.get_properties(), "path": topic, "format": format_, "from": begin}, sample

    def _require_permitted(self) -> None:
        matches = [_SERVER.fullmatch(server.strip()) for server in self.servers.split(",")]
        if not all(matches) or len(matches) > _SERVERS_MAX:
            raise BadRequest(f"the member servers must be host:port, or at most {_SERVERS_MAX} of them with commas")
        require_permitted_hosts((match[1].strip("[]"), int(match[2])) for match in matches if match)

    @contextmanager
    def _open(self, context: ServiceContext) -> Iterator[Any]:
        """Open a consumer of librdkafka, which commits nothing. Raises BadRequest."""
        self._require_permitted()
        try:
            import confluent_kafka
        except ImportError:
            raise BadRequest(
                "Kafka cannot be read: the package confluent-kafka is not installed in the server"
            ) from None
        properties = {
            "bootstrap.servers": self.servers,
            "security.protocol": self.security,
            "group.id": f"colophon-dataprep-{uuid.uuid4().hex}",
            "client.id": "colophon-dataprep",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "allow.auto.create.topics": False,
            "socket.timeout.ms": int(_ANSWER_S * 1_000),
            "queued.max.messages.kbytes": 8_192,
            "log_level": 0,
        }
        if self.user:
            password = read_password(context, self.password_secret)
            properties |= {"sasl.mechanism": self.mechanism, "sasl.username": self.user, "sasl.password": password}
        consumer = None
        try:
            consumer = confluent_kafka.Consumer(properties)
            yield consumer
        except confluent_kafka.KafkaException as error:
            raise BadRequest(f"Kafka refuses it, or does not answer: {error.args[0].name()}") from None
        finally:
            if consumer is not None:
                consumer.close()


def _parse_format(body: Body, default: str) -> str:
    return body.get_choice("format", tuple(_READERS), default)


def _read_messages(consumer: Any, topic: str, begin: str, limit: int, seconds: float) -> list[Any]:
    """Return messages of all partitions by partition and offset. Raises NotFound, BadRequest."""
    from confluent_kafka import KafkaError, KafkaException, TopicPartition

    until = time.monotonic() + seconds
    known = consumer.list_topics(timeout=_ANSWER_S).topics.get(topic)
    if known is None or known.error is not None:
        raise NotFound("topic", topic)
    starts, share = [], -(-limit // max(1, len(known.partitions)))
    for number in known.partitions:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_ANSWER_S)
        starts.append(TopicPartition(topic, number, max(low, high - share) if begin == "latest" else low))
    consumer.assign(starts)
    open_partitions = {*known.partitions}
    messages: list[Any] = []
    while open_partitions and len(messages) < limit:
        if time.monotonic() > until:
            raise BadRequest("reading the topic took too long: use a smaller limit")
        for message in consumer.consume(min(_AT_ONCE, limit - len(messages)), timeout=_POLL_S):
            if message.error() is None:
                messages.append(message)
            elif message.error().code() == KafkaError._PARTITION_EOF:
                open_partitions.discard(message.partition())
            else:
                raise KafkaException(message.error())
    return sorted(messages, key=lambda message: (message.partition(), message.offset()))


def _decode(message: Any, value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        raise BadRequest(f"{_describe_place(message)} is not a text in utf-8") from None


def _read_json(message: Any) -> Mapping[str, Any]:
    try:
        document = json.loads(_decode(message, message.value()) or "")
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise BadRequest(f"{_describe_place(message)} is not a JSON object: choose another format")
    return document


def _read_csv(message: Any) -> Mapping[str, Any]:
    """Return the values of the first line, as `column_1` and so on."""
    try:
        return name_values([], next(csv.reader([_decode(message, message.value()) or ""]), []), "column")
    except csv.Error as error:
        raise BadRequest(f"{_describe_place(message)} is not a line of CSV: {error}") from None


def _read_text(message: Any) -> Mapping[str, Any]:
    """Return the columns of the stage `kafka` of pipelines."""
    return {
        "key": _decode(message, message.key()),
        "value": _decode(message, message.value()),
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": _read_timestamp(message),
    }


def _read_timestamp(message: Any) -> datetime | None:
    """Return the time of a message, which its producer chooses; None for one that Python does not have."""
    try:
        return datetime.fromtimestamp(message.timestamp()[1] / 1_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _describe_place(message: Any) -> str:
    return f"the message {message.offset()} of the partition {message.partition()}"


_READERS: Final[Mapping[str, Callable[[Any], Mapping[str, Any]]]] = {
    "json": _read_json,
    "csv": _read_csv,
    "text": _read_text,
}
