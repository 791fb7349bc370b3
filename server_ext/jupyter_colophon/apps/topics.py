"""What applications can poll: the change log, by topic (the MessageFetcher of CDAP)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.apps.tables import require_namespace_urn
from jupyter_colophon.apps.transaction_thread import require_no_transaction
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.errors import InvalidQuery, quote_and_truncate_text
from jupyter_colophon.service.changes.feed import ChangeFeed

#: How many changes may be fetched at once.
LIMIT_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: the changes that it has, and their format (docs/notifications.md)."""

    name: str
    description: str
    format: str
    #: The operations of its changes; empty for all.
    operations: frozenset[str] = frozenset()


TOPICS: Final = (
    Topic("changes", "all changes of entities, aspects and runs", "change"),
    Topic("runs", "starts and ends of runs of programs", "change", frozenset({"run-start", "run-end"})),
    Topic("metadata", "changes of properties and tags, as metadata change records", "record"),
    Topic("audit", "creations, deletions, changes of metadata and accesses, as audit messages of CDAP", "audit"),
)


@dataclass(frozen=True, slots=True)
class FetchedMessages:
    """Messages, oldest first, and the number to continue after, which also advances past changes without a message."""

    messages: Sequence[Mapping[str, Any]]
    cursor: int


@dataclass(frozen=True, slots=True)
class TopicReader:
    """Reads topics with the rights of a principal."""

    feed: ChangeFeed
    formatter: ChangeFormatter

    def read_messages(
        self, topic: str, after: int | None, limit: int, namespace: str, principal: Principal
    ) -> FetchedMessages:
        """Return the messages after a number; with None, those from now on: none, and the present number.

        Raises InvalidQuery for an unknown topic or a wrong limit, NotFound, and LogCompacted if changes after the number
        are no longer kept.
        """
        require_no_transaction()
        found = _find_topic(topic)
        if not 1 <= limit <= LIMIT_MAX:
            raise InvalidQuery(f"must be from 1 to {LIMIT_MAX}", "limit")
        if after is None:
            return FetchedMessages((), self.feed.read_newest_change_number())
        where = {"namespace": require_namespace_urn(namespace).parts[0]} if namespace else {}
        part = self.feed.read_slice_of_visible_changes(after, limit, where, principal)
        changes = [change for change in part.changes if not found.operations or change.operation in found.operations]
        formatted = (self.formatter.format_change_as(change, found.format) for change in changes)
        return FetchedMessages(tuple(message for message in formatted if message is not None), part.cursor)


def _find_topic(name: str) -> Topic:
    for topic in TOPICS:
        if topic.name == name:
            return topic
    names = ", ".join(topic.name for topic in TOPICS)
    raise InvalidQuery(f"there is no topic {quote_and_truncate_text(name)}: use one of {names}")
