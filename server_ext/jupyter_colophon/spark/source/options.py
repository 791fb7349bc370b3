"""What the options of a read or a write say; names are Spark's, which know no upper or lower case."""

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.spark.source.user_errors import Mistake

#: How many pieces a read is cut into at most, unless told.
PARTITIONS = 8
#: How many rows a page has that is asked for: as many as the server gives.
PAGE_ROWS = 500
#: How many rows a batch has, and how many may one have.
BATCH_ROWS, BATCH_ROWS_MAX = 500, 1_000
#: Seconds for one answer, and for a server that is away or too busy to come back.
ANSWER_S, PATIENCE_S = 120.0, 300
#: The same before it has ever answered: perhaps there is none at that URL, and nothing is lost yet.
FIRST_PATIENCE_S = 20


class WrongOption(Mistake):
    """An option of the data source cannot be meant; the words say which and why."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one read or write; those of one kind of table are among `filters`."""

    server: Server
    table: str
    partitions: int
    filters: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, told: Mapping[str, str]) -> "Options":
        """Read the options. Raises WrongOption."""
        given = {name.lower(): value for name, value in told.items()}
        return cls(
            server=_server(given),
            table=given.get("table", "entities").lower(),
            partitions=number(given, "numPartitions", PARTITIONS, least=1, most=1_000),
            filters={name: value for name, value in given.items() if name not in _SHARED},
        )

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A whole number among the filters. Raises WrongOption."""
        return number(self.filters, name, default, least=least, most=most)

    def flag(self, name: str) -> bool:
        """Whether an option is `true`. Raises WrongOption for anything but `true` and `false`."""
        value = self.filters.get(name.lower(), "false").lower()
        if value not in ("true", "false"):
            raise WrongOption(f"the option {name} is true or false, not {value!r}")
        return value == "true"

    def require_known(self, *names: str) -> None:
        """Raise WrongOption for an option that means nothing here: what it was to do would silently not be done."""
        known = {name.lower() for name in names}
        if strange := sorted(name for name in self.filters if name not in known and not name.startswith("__")):
            raise WrongOption(f"{self.table} has no option {strange[0]!r}; there are {', '.join(sorted(names))}")

    def catalog(self) -> Operations:
        """A connection to the server."""
        return Operations(Transport(self.server, timeout_s=ANSWER_S))


def number(given: Mapping[str, str], name: str, default: int, *, least: int, most: int) -> int:
    """A whole number. Raises WrongOption."""
    told = given.get(name.lower())
    if told is None:
        return default
    if not (told.isascii() and told.isdigit() and least <= int(told) <= most):
        raise WrongOption(f"the option {name} is a whole number from {least} to {most}, not {told!r}")
    return int(told)


def load_name(told: str | None) -> str:
    """The name of the load: the one told, or a new one."""
    return told or uuid.uuid4().hex


def _server(given: Mapping[str, str]) -> Server:
    """The server of the options, else that of the environment, whose token no other server sees. Raises WrongOption."""
    own_url, own_token = os.environ.get("COLOPHON_URL", ""), os.environ.get("COLOPHON_TOKEN", "")
    url = given.get("url") or own_url
    if not url:
        raise WrongOption("which server? Say option('url', …), or set COLOPHON_URL where Spark is started")
    try:
        server = Server(url)
        meant = not own_url or Server(own_url).url == server.url
        return Server(url, given.get("token") or (own_token if meant else ""))
    except ValueError as error:
        raise WrongOption(str(error)) from None


_SHARED = frozenset({"url", "token", "table", "numpartitions", "path"})
