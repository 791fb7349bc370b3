"""A slice of the change log, and the long poll: what the doors answer is the same but for their paths."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from tornado.web import HTTPError

from jupyter_colophon.core.changes.written_change import WrittenChange, write_changes
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX, take_page
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.changes.change_hub import Wish
from jupyter_colophon.http.changes.subscription import Following, reserve_connection
from jupyter_colophon.operations.parameter import DIGITS_MAX, number
from jupyter_colophon.operations.shared_parameters import LIMIT_MAX

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.service.changes.feed import Slice

_WAIT_MAX_S: Final = 30
#: How many slices are read for one answer: a form may have no words for what is in them.
_SLICES: Final = 10
_SEQ_MAX: Final = 10**DIGITS_MAX - 1
AFTER: Final = number("after", "The number of the last change known.", default=0, least=0, most=_SEQ_MAX)
LIMIT: Final = number(
    "limit", "How many at most; 0 gives the present number alone.", default=100, least=0, most=LIMIT_MAX
)
WAIT: Final = number("wait", "Seconds to wait for a change where there is none.", default=0, least=0, most=_WAIT_MAX_S)


class SliceHandler(ApiHandler):
    """What the doors' slices share; each has its own method, which says who may ask what."""

    async def answer_slice(self, where: Mapping[str, str], form: str, limit: int) -> None:
        """Answer `{"cursor", "changes"}` with at most `limit` changes; the cursor moves on also where nothing is told.

        Raises LogCompacted, StorageError, TooManyConnections.
        """
        after, wait = self.asked(AFTER), self.asked(WAIT)
        wish = Wish(self.principal, tuple(where.items()), form)
        if limit == 0:
            self.answer({"cursor": await self.hop(lambda catalog: catalog.feed.head()), "changes": []})
            return
        found, cursor = await self.hop(lambda catalog: _read(catalog, wish, after, limit))
        if not found and wait:
            await self._news(wish, cursor, wait)
            found, cursor = await self.hop(lambda catalog: _read(catalog, wish, cursor, limit))
        # The changes are text already: nothing is left to do that would hold up the event loop.
        changes = b",".join(one.text for one in found)
        self.set_header("Content-Type", self.content_type)
        self.finish(b'{"cursor": %d, "changes": [%b]}' % (cursor, changes), set_content_type=self.content_type)

    async def _news(self, wish: Wish, after: int, wait_s: int) -> None:
        """Return when there is a change that fits, or after a time."""
        release = reserve_connection(self)
        following = Following(self, wish, lambda: None)
        try:
            async with asyncio.timeout(wait_s):
                # What came between the first look and the listening is among these.
                async for _ in following.batches(after, await following.begin()):
                    break
        except TimeoutError:
            pass
        finally:
            following.end()
            release()
        if following.is_revoked:
            raise HTTPError(HTTPStatus.FORBIDDEN, "the kernel's token has ended")


def _read(catalog: "Catalog", wish: Wish, after: int, limit: int) -> tuple[list[WrittenChange], int]:
    found: list[WrittenChange] = []
    size = 0
    for _ in range(_SLICES):
        read: Slice = catalog.feed.read(after, limit - len(found), wish.filters, wish.principal)
        encoded = write_changes(catalog.announcer, read.changes, wish.form)
        page = list(take_page(encoded, lambda one: len(one.text), PAGE_BYTES_MAX - size))
        found += page
        size += sum(len(one.text) for one in page)
        # A form may say more of a change than the log does.
        if len(page) < len(encoded):
            return found, page[-1].seq
        after = read.cursor
        if not read.more or len(found) == limit or size > PAGE_BYTES_MAX:
            break
    return found, after
