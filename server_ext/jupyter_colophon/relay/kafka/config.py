"""The connection to Kafka: its servers, and properties of librdkafka from a file that may contain passwords.

The content of that file is never shown or logged.
"""

import logging
import re
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration, quote_and_truncate_text

Properties = dict[str, Any]
#: Properties that the file must not set, since delivery guarantees depend on them.
_RESERVED: Final = frozenset(
    {
        "acks",
        "auto.offset.reset",
        "client.id",
        "delivery.timeout.ms",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.gapless.guarantee",
        "enable.idempotence",
        "group.id",
        "message.timeout.ms",
        "metadata.broker.list",
        "plugin.library.paths",
        "request.required.acks",
        "transactional.id",
    }
)
_SERVERS: Final = "bootstrap.servers"
_NAMED = re.compile(r'property:? "([a-zA-Z0-9._-]+)"')
_logger = logging.getLogger("jupyter_colophon.relay.librdkafka")


def read_connection_properties(options: Mapping[str, Any]) -> Properties:
    """Return librdkafka's properties for the options `servers` and `properties_file`. Raises InvalidConfiguration, which shows no value."""
    properties = _read_properties_file(options.get("properties_file"))
    servers = options.get("servers", properties.get(_SERVERS))
    if not isinstance(servers, str) or not servers.strip():
        raise InvalidConfiguration("the option servers must be host:port, or a comma-separated list of them")
    # Reconnect soon after an outage.
    return {"reconnect.backoff.max.ms": 2_000, "client.id": "jupyter-colophon"} | properties | {_SERVERS: servers}


def require_valid_properties(properties: Properties, kind: str) -> None:
    """Raise InvalidConfiguration unless librdkafka accepts the properties for a `Producer` or `Consumer`; does not connect."""
    create_kafka_client(kind, {name: value for name, value in properties.items() if name != _SERVERS})


def create_kafka_client(kind: str, properties: Properties) -> Any:
    """Return a `Producer`, `Consumer` or `admin.AdminClient` of librdkafka. Raises InvalidConfiguration, which shows no value."""
    try:
        import confluent_kafka.admin
    except ImportError:
        raise InvalidConfiguration("confluent-kafka is not installed: pip install jupyter-colophon[kafka]") from None
    if _logger.level == logging.NOTSET:
        # Errors are logged once by the caller; librdkafka would repeat them for each broker and attempt.
        _logger.setLevel(logging.CRITICAL)
    try:
        return attrgetter(kind)(confluent_kafka)(properties, logger=_logger)
    except (confluent_kafka.KafkaException, TypeError, ValueError) as error:
        match = _NAMED.search(str(error))
        where = f" the property {match[1]}" if match else " a property"
        raise InvalidConfiguration(f"librdkafka rejects{where} of the properties_file") from None


def _read_properties_file(file: object) -> Properties:
    """Read a file of lines `name=value`; `#` starts a comment."""
    if file is None:
        return {}
    try:
        lines = Path(str(file)).expanduser().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfiguration(f"the properties_file cannot be read ({type(error).__name__})") from None
    properties = {}
    for number, line in enumerate((text.strip() for text in lines), 1):
        if not line or line.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name:
            raise InvalidConfiguration(f"line {number} of the properties_file is not name=value")
        if name in _RESERVED:
            raise InvalidConfiguration(
                f"the properties_file must not set {quote_and_truncate_text(name)}: delivery guarantees depend on it"
            )
        properties[name] = value
    return properties
