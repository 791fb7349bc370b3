"""Broadcast changes to connections: each change is encoded once for all subscribers with equal filters (spec FAULT-9).

The feed's thread encodes the changes; the event loop distributes them in chunks, so that requests are served meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Semaphore
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.written_change import WrittenChange, encode_changes_as_json
from jupyter_colophon.http.changes.send_queue import SendQueue, split_into_messages

# Imported late, since the server creates a hub at its start.
if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.core.entities.change import Change
    from jupyter_colophon.operations.request import ChangesAnswer

T = TypeVar("T")
#: How many subscribers are served before the event loop continues with other work.
_AT_ONCE = 200

RunQuery = Callable[["Callable[[Catalog], Any]"], Awaitable[Any]]


class SubscriptionSpec(NamedTuple):
    """The changes that a subscriber wants: by filters, in a format, as a principal."""

    principal: Principal
    where: tuple[tuple[str, str], ...]
    form: str

    @classmethod
    def from_answer(cls, principal: Principal, changes: "ChangesAnswer") -> "SubscriptionSpec":
        """Return the subscription to the changes that an operation answers."""
        return cls(principal, tuple(changes.filters.items()), changes.form)

    @property
    def filters(self) -> Mapping[str, str]:
        """The filters by name."""
        return dict(self.where)


@dataclass(eq=False, slots=True)
class Subscriber:
    """One connection, with its queue, and callbacks for the cases that the queue is full and that the server stops."""

    spec: SubscriptionSpec
    queue: SendQueue
    cut_off: Callable[[], None]
    stop: Callable[[], None]


class ChangeHub:
    """The subscribers of one server. Used on the event loop, except `_on_changes`."""

    def __init__(self) -> None:
        self._groups: dict[SubscriptionSpec, set[Subscriber]] = {}
        self._end: Callable[[], None] | None = None
        #: Held while changes are distributed; the feed waits for it before it continues.
        self._distributing = Semaphore(1)

    @property
    def count(self) -> int:
        """The number of subscribers."""
        return sum(map(len, self._groups.values()))

    async def add_subscriber(self, subscriber: Subscriber, run_query: RunQuery) -> None:
        """Send a subscriber every change from now on. Raises StorageError."""
        self._groups.setdefault(subscriber.spec, set()).add(subscriber)
        if self._end is None:
            loop = asyncio.get_running_loop()

            def listen(catalog: "Catalog") -> Callable[[], None]:
                return catalog.feed.register_listener(lambda changes: self._on_feed_changes(catalog, loop, changes))

            end = await run_query(listen)
            # Two concurrent first subscribers may both listen; duplicates are dropped by their number.
            if self._end is None and self._groups:
                self._end = end
            else:
                end()

    def remove_subscriber(self, subscriber: Subscriber) -> None:
        """Remove a subscriber."""
        group = self._groups.get(subscriber.spec, set())
        group.discard(subscriber)
        if not group:
            self._groups.pop(subscriber.spec, None)
        if not self._groups and self._end is not None:
            self._end()
            self._end = None

    def stop_all(self) -> None:
        """End every connection, with a reason on which its client connects again."""
        for subscriber in [item for group in self._groups.values() for item in group]:
            subscriber.stop()

    def remove_all_and_stop_listening(self) -> None:
        """Remove all subscribers, and release the feed."""
        self._groups.clear()
        self._distributing.release()

    def _on_feed_changes(
        self, catalog: "Catalog", loop: asyncio.AbstractEventLoop, changes: "Sequence[Change]"
    ) -> None:
        """Encode changes for each group, on the feed's thread, and let the event loop distribute them."""
        encoded = []
        for spec in list(self._groups):
            seen = catalog.feed.filter_visible_changes(changes, spec.filters, spec.principal)
            if written := encode_changes_as_json(catalog.formatter, seen, spec.form):
                catalog.feed.record_delivery(seen, spec.principal)
                encoded.append((spec, written))
        if encoded:
            self._distributing.acquire()
            asyncio.run_coroutine_threadsafe(self._distribute_to_groups(encoded), loop)

    async def _distribute_to_groups(self, encoded: Sequence[tuple[SubscriptionSpec, list[WrittenChange]]]) -> None:
        try:
            for spec, written in encoded:
                # One message at a time, so that the queues of fast readers stay short.
                for message in split_into_messages(written):
                    await self._add_to_queues_of_group(spec, message)
        finally:
            self._distributing.release()

    async def _add_to_queues_of_group(self, spec: SubscriptionSpec, message: Sequence[WrittenChange]) -> None:
        for chunk in split_into_chunks(list(self._groups.get(spec, ()))):
            for subscriber in chunk:
                if not subscriber.queue.add_or_reject_if_full(message):
                    subscriber.cut_off()
            await asyncio.sleep(0)


def split_into_chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield chunks of a sequence, small enough to let the event loop run other work between them."""
    for start in range(0, len(items), _AT_ONCE):
        yield items[start : start + _AT_ONCE]
