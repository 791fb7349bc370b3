"""How Kafka is reached: where it is, and whatever else librdkafka can be told, from a file that may hold passwords.

Nothing of that file is shown or logged.
"""

import logging
import re
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration, shown

Properties = dict[str, Any]
#: What every client of ours is told, whatever the file says: promises rest on it.
_OURS: Final = frozenset(
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


def connection(options: Mapping[str, Any]) -> Properties:
    """librdkafka's properties of the options `servers` and `properties_file`. Raises InvalidConfiguration, which shows no value."""
    told = _read(options.get("properties_file"))
    servers = options.get("servers", told.get(_SERVERS))
    if not isinstance(servers, str) or not servers.strip():
        raise InvalidConfiguration("the option servers must be host:port, or several with commas between them")
    # Who comes back is found soon.
    return {"reconnect.backoff.max.ms": 2_000, "client.id": "jupyter-colophon"} | told | {_SERVERS: servers}


def checked(properties: Properties, kind: str) -> None:
    """Raise InvalidConfiguration unless librdkafka makes a `Producer` or `Consumer` of them; nothing is connected to."""
    client(kind, {name: value for name, value in properties.items() if name != _SERVERS})


def client(kind: str, properties: Properties) -> Any:
    """A `Producer`, a `Consumer` or an `admin.AdminClient` of librdkafka. Raises InvalidConfiguration, which shows no value."""
    try:
        import confluent_kafka.admin
    except ImportError:
        raise InvalidConfiguration("it needs confluent-kafka: pip install jupyter-colophon[kafka]") from None
    if _logger.level == logging.NOTSET:
        # What is wrong is told once, by whoever uses the client; librdkafka says it again for each broker and try.
        _logger.setLevel(logging.CRITICAL)
    try:
        return attrgetter(kind)(confluent_kafka)(properties, logger=_logger)
    except (confluent_kafka.KafkaException, TypeError, ValueError) as error:
        found = _NAMED.search(str(error))
        where = f" the property {found[1]}" if found else " a property"
        raise InvalidConfiguration(f"librdkafka refuses{where} of its properties_file") from None


def _read(file: object) -> Properties:
    """A file of lines `name=value`; `#` begins a comment."""
    if file is None:
        return {}
    try:
        lines = Path(str(file)).expanduser().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfiguration(f"its properties_file cannot be read ({type(error).__name__})") from None
    told = {}
    for number, line in enumerate((one.strip() for one in lines), 1):
        if not line or line.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name:
            raise InvalidConfiguration(f"line {number} of its properties_file is not name=value")
        if name in _OURS:
            raise InvalidConfiguration(f"its properties_file may not say {shown(name)}: what is promised rests on it")
        told[name] = value
    return told
