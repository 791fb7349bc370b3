"""A page of the change log, and the long poll."""

import asyncio
from http import HTTPStatus

from tornado.web import HTTPError

from jupyter_colophon.core.errors import InvalidServiceToken
from jupyter_colophon.core.service_token import is_service_account
from jupyter_colophon.http.changes.change_hub import SubscriptionSpec
from jupyter_colophon.http.changes.subscription import Subscription, register_connection_of_user
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.operations.change_log import read_page_or_cursor
from jupyter_colophon.operations.request import ChangesAnswer


class ChangePageHandler(OperationHandler):
    """Returns a page of changes; if there are none, waits for one on the event loop."""

    async def send_changes(self, changes: ChangesAnswer) -> None:
        """Send `{"cursor", "changes"}`; the cursor also advances if there are no changes.

        Raises LogCompacted, StorageError, TooManyConnections.
        """
        principal = self.principal
        written, cursor = await self.run_query_on_thread(
            lambda catalog: read_page_or_cursor(catalog, changes, changes.after, principal)
        )
        if not written and changes.limit and changes.wait_seconds:
            await self._wait_for_change(SubscriptionSpec.from_answer(principal, changes), cursor, changes.wait_seconds)
            written, cursor = await self.run_query_on_thread(
                lambda catalog: read_page_or_cursor(catalog, changes, cursor, principal)
            )
        # The changes are already encoded, so this does not block the event loop.
        text = b",".join(item.text for item in written)
        self.finish(b'{"cursor": %d, "changes": [%b]}' % (cursor, text), set_content_type=self.api.content_type)

    async def _wait_for_change(self, spec: SubscriptionSpec, after: int, seconds: int) -> None:
        """Wait until there is a matching change, or until the time is over."""
        release = register_connection_of_user(self)
        subscription = Subscription(self, spec, lambda: None)
        try:
            async with asyncio.timeout(seconds):
                # Includes changes between the first read and the subscription.
                async for _ in subscription.read_batches(after, await subscription.start_and_get_head()):
                    break
        except TimeoutError:
            pass
        finally:
            subscription.end_subscription()
            release()
        if subscription.is_revoked and is_service_account(spec.principal):
            raise InvalidServiceToken
        if subscription.is_revoked:
            raise HTTPError(HTTPStatus.FORBIDDEN, subscription.reason_of_end)
