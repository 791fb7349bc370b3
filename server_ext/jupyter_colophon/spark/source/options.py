"""The options of a read or write. As in Spark, names of options are not case-sensitive."""

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.spark.source.user_errors import UserError

#: Default maximum number of partitions of a read.
PARTITIONS = 8
#: Page size of requests: the maximum of the server.
PAGE_ROWS = 500
#: Default and maximum number of rows of a batch.
BATCH_ROWS, BATCH_ROWS_MAX = 500, 1_000
#: Timeouts in seconds: for a response, and for retries while the server is unavailable or overloaded.
REQUEST_TIMEOUT_S, RETRY_TIMEOUT_S = 120.0, 300
#: The timeout for retries before the first response: the URL may be wrong, and no data is lost yet.
FIRST_RETRY_TIMEOUT_S = 20


class InvalidOption(UserError):
    """An option of the data source is invalid; the message explains why."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The options of a read or write; `filters` has those that are specific to a table."""

    server: ServerAddress
    table: str
    partitions: int
    filters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> "SourceOptions":
        """Parse the options. Raises InvalidOption."""
        lowered = {name.lower(): value for name, value in options.items()}
        return cls(
            server=_resolve_server(lowered),
            table=lowered.get("table", "entities").lower(),
            partitions=parse_number(lowered, "numPartitions", PARTITIONS, minimum=1, maximum=1_000),
            filters={name: value for name, value in lowered.items() if name not in _SHARED},
        )

    def get_number(self, name: str, default: int, *, minimum: int, maximum: int) -> int:
        """Return an integer option. Raises InvalidOption."""
        return parse_number(self.filters, name, default, minimum=minimum, maximum=maximum)

    def get_flag(self, name: str) -> bool:
        """Return a boolean option, `true` or `false`. Raises InvalidOption."""
        value = self.filters.get(name.lower(), "false").lower()
        if value not in ("true", "false"):
            raise InvalidOption(f"the option {name} must be true or false, not {value!r}")
        return value == "true"

    def require_known_options(self, *names: str) -> None:
        """Raise InvalidOption for an unknown option, which would be ignored silently."""
        lowered_names = {name.lower() for name in names}
        if unknown := sorted(name for name in self.filters if name not in lowered_names and not name.startswith("__")):
            raise InvalidOption(f"{self.table} has no option {unknown[0]!r}; available: {', '.join(sorted(names))}")

    def connect_to_server(self) -> Operations:
        """Return a connection to the server."""
        return Operations(Transport(self.server, timeout_s=REQUEST_TIMEOUT_S))


def parse_number(options: Mapping[str, str], name: str, default: int, *, minimum: int, maximum: int) -> int:
    """Return an integer option. Raises InvalidOption."""
    text = options.get(name.lower())
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and minimum <= int(text) <= maximum):
        raise InvalidOption(f"the option {name} must be an integer from {minimum} to {maximum}, not {text!r}")
    return int(text)


def choose_load_name(name: str | None) -> str:
    """Return the name of the load: the given one, or a new one."""
    return name or uuid.uuid4().hex


def _resolve_server(options: Mapping[str, str]) -> ServerAddress:
    """Return the server of the options, else that of the environment, whose token is sent to no other server. Raises InvalidOption."""
    own_url, own_token = os.environ.get("COLOPHON_URL", ""), os.environ.get("COLOPHON_TOKEN", "")
    url = options.get("url") or own_url
    if not url:
        raise InvalidOption("no server is configured: set option('url', …), or COLOPHON_URL before Spark is started")
    try:
        server = ServerAddress(url)
        is_same_server = not own_url or ServerAddress(own_url).url == server.url
        return ServerAddress(url, options.get("token") or (own_token if is_same_server else ""))
    except ValueError as error:
        raise InvalidOption(str(error)) from None


_SHARED = frozenset({"url", "token", "table", "numpartitions", "path"})
