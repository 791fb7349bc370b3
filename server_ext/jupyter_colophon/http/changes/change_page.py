"""A page of the change log, and the long poll."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus

from tornado.web import HTTPError

from jupyter_colophon.http.changes.change_hub import Wish
from jupyter_colophon.http.changes.subscription import Following, reserve_connection
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.operations.call import perform
from jupyter_colophon.operations.change_log import read_page
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.request import Changes


class ChangePageHandler(OperationHandler):
    """Answers a page of changes; where there are none, it waits for one on the event loop."""

    async def serve(self, operation: Operation, path: Mapping[str, str]) -> None:
        """Answer `{"cursor", "changes"}`; the cursor moves on also where no change is in it.

        Raises LogCompacted, StorageError, TooManyConnections.
        """
        call, principal = self.call(path), self.principal
        changes = await self.run(operation, path, lambda: perform(self.api, operation, self.state, call))
        if not isinstance(changes, Changes):
            raise TypeError(f"{operation.id} does not answer changes")
        found, cursor = await self.query(lambda catalog: read_page(catalog, changes, changes.after, principal))
        if not found and changes.limit and changes.wait_seconds:
            await self._wait(
                Wish(principal, tuple(changes.filters.items()), changes.form), cursor, changes.wait_seconds
            )
            found, cursor = await self.query(lambda catalog: read_page(catalog, changes, cursor, principal))
        # The changes are text already: nothing is left to do that would hold up the event loop.
        text = b",".join(one.text for one in found)
        self.finish(b'{"cursor": %d, "changes": [%b]}' % (cursor, text), set_content_type=self.api.content_type)

    async def _wait(self, wish: Wish, after: int, seconds: int) -> None:
        """Return when there is a change that fits, or after a time."""
        release = reserve_connection(self)
        following = Following(self, wish, lambda: None)
        try:
            async with asyncio.timeout(seconds):
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
