"""Who follows the change log over a connection: each change is told once for all who wish for the same (spec FAULT-9).

The feed's thread writes the texts; the event loop hands them out a few at a time, so that requests are answered meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Semaphore
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.written_change import WrittenChange, write_changes
from jupyter_colophon.http.changes.send_queue import Backlog, messages

# A server has a board from its start, which waits for neither of these.
if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.core.entities.change import Change

T = TypeVar("T")
#: How many subscribers are told before others have their turn.
_AT_ONCE = 200

Hop = Callable[["Callable[[Catalog], Any]"], Awaitable[Any]]


class Wish(NamedTuple):
    """What somebody wants to be told: which changes, in which form, as whom."""

    principal: Principal
    where: tuple[tuple[str, str], ...]
    form: str

    @property
    def filters(self) -> Mapping[str, str]:
        """The filters by name."""
        return dict(self.where)


@dataclass(eq=False, slots=True)
class Subscriber:
    """One connection: what it has not been sent yet, and what is done where that is too much."""

    wish: Wish
    backlog: Backlog
    cut_off: Callable[[], None]


class Board:
    """The subscribers of one server. Used on the event loop, but for `_heard`."""

    def __init__(self) -> None:
        self._groups: dict[Wish, set[Subscriber]] = {}
        self._end: Callable[[], None] | None = None
        #: Taken while changes are handed out: the feed waits for that, and reads on then.
        self._turn = Semaphore(1)

    @property
    def count(self) -> int:
        """How many follow."""
        return sum(map(len, self._groups.values()))

    async def join(self, subscriber: Subscriber, hop: Hop) -> None:
        """Tell a subscriber of every change from now on. Raises StorageError."""
        self._groups.setdefault(subscriber.wish, set()).add(subscriber)
        if self._end is None:
            loop = asyncio.get_running_loop()

            def listen(catalog: "Catalog") -> Callable[[], None]:
                return catalog.feed.listen(lambda changes: self._heard(catalog, loop, changes))

            end = await hop(listen)
            # Two who come first at once both listen; what one is told twice, it leaves out by its number.
            if self._end is None and self._groups:
                self._end = end
            else:
                end()

    def leave(self, subscriber: Subscriber) -> None:
        """Tell them no more."""
        group = self._groups.get(subscriber.wish, set())
        group.discard(subscriber)
        if not group:
            self._groups.pop(subscriber.wish, None)
        if not self._groups and self._end is not None:
            self._end()
            self._end = None

    def close(self) -> None:
        """Nobody is told any more, and the feed waits for nothing here."""
        self._groups.clear()
        self._turn.release()

    def _heard(self, catalog: "Catalog", loop: asyncio.AbstractEventLoop, changes: "Sequence[Change]") -> None:
        """On the feed's thread: write what each group is told, and have the event loop hand it out."""
        told = []
        for wish in list(self._groups):
            seen = catalog.feed.visible(changes, wish.filters, wish.principal)
            if found := write_changes(catalog.formatter, seen, wish.form):
                told.append((wish, found))
        if told:
            self._turn.acquire()
            asyncio.run_coroutine_threadsafe(self._hand_out(told), loop)

    async def _hand_out(self, told: Sequence[tuple[Wish, list[WrittenChange]]]) -> None:
        try:
            for wish, found in told:
                # A message at a time: who reads as quickly as we write has no more than that waiting.
                for message in messages(found):
                    await self._tell(wish, message)
        finally:
            self._turn.release()

    async def _tell(self, wish: Wish, message: Sequence[WrittenChange]) -> None:
        for some in few(list(self._groups.get(wish, ()))):
            for one in some:
                if not one.backlog.add(message):
                    one.cut_off()
            await asyncio.sleep(0)


def few(all_: Sequence[T]) -> Iterator[Sequence[T]]:
    """So many at a time that others have their turn between."""
    for start in range(0, len(all_), _AT_ONCE):
        yield all_[start : start + _AT_ONCE]
