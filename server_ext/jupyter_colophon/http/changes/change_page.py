"""A page of the change log, and the long poll."""

import asyncio
from http import HTTPStatus

from tornado.web import HTTPError

from jupyter_colophon.http.changes.change_hub import SubscriptionSpec
from jupyter_colophon.http.changes.subscription import Subscription, reserve_connection
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.operations.change_log import read_page
from jupyter_colophon.operations.request import ChangesAnswer


class ChangePageHandler(OperationHandler):
    """Returns a page of changes; if there are none, waits for one on the event loop."""

    async def send_changes(self, changes: ChangesAnswer) -> None:
        """Send `{"cursor", "changes"}`; the cursor also advances if there are no changes.

        Raises LogCompacted, StorageError, TooManyConnections.
        """
        principal = self.principal
        written, cursor = await self.query(lambda catalog: read_page(catalog, changes, changes.after, principal))
        if not written and changes.limit and changes.wait_seconds:
            await self._wait(SubscriptionSpec.create(principal, changes), cursor, changes.wait_seconds)
            written, cursor = await self.query(lambda catalog: read_page(catalog, changes, cursor, principal))
        # The changes are already encoded, so this does not block the event loop.
        text = b",".join(item.text for item in written)
        self.finish(b'{"cursor": %d, "changes": [%b]}' % (cursor, text), set_content_type=self.api.content_type)

    async def _wait(self, spec: SubscriptionSpec, after: int, seconds: int) -> None:
        """Wait until there is a matching change, or until the time is over."""
        release = reserve_connection(self)
        subscription = Subscription(self, spec, lambda: None)
        try:
            async with asyncio.timeout(seconds):
                # Includes changes between the first read and the subscription.
                async for _ in subscription.read_batches(after, await subscription.begin()):
                    break
        except TimeoutError:
            pass
        finally:
            subscription.end()
            release()
        if subscription.is_revoked:
            raise HTTPError(HTTPStatus.FORBIDDEN, "the kernel's token has ended")
