"""The mixin of REST handlers and WebSockets: the user of a request, the extension's state, and the request for operations."""

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, TypeVar

from jupyter_server.utils import ensure_async
from tornado.httputil import HTTPServerRequest
from tornado.web import HTTPError

from jupyter_colophon.core.access import ALL_ACTIONS, Principal
from jupyter_colophon.core.errors import HeldForReview, Overloaded, StoreUnavailable, TooManyRequests
from jupyter_colophon.core.read_budget import limit_reads_of_thread
from jupyter_colophon.core.service_token import is_service_account
from jupyter_colophon.http.catalog_user import CatalogUser
from jupyter_colophon.http.forwarding.caller_headers import restrict_principal
from jupyter_colophon.http.state import SETTING, ServerState, create_user_principal
from jupyter_colophon.http.token_holder import TokenHolder
from jupyter_colophon.http.token_identity import TokenIdentityProvider
from jupyter_colophon.operations.call import ReceivedCall
from jupyter_colophon.operations.idempotency import FINGERPRINTED_HEADERS, compute_request_fingerprint

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

T = TypeVar("T")
#: The resource name for Jupyter's authorizers.
RESOURCE: Final = "colophon"
#: When to try again where the store is unavailable, or too many connections or executions are active.
_RETRY_AFTER_S: Final = 5
#: The scopes of a service token of which it needs one, by the action for Jupyter's authorizers.
_SCOPES: Final = {"read": {"read"}, "write": ALL_ACTIONS - {"read"}, "execute": {"read", "admin"}}


class AuthenticatedRequest:
    """A mixin for Tornado's handlers."""

    settings: dict[str, Any]
    current_user: Any
    authorizer: Any
    base_url: str
    request: HTTPServerRequest
    set_header: Callable[[str, str], None]
    get_query_arguments: Callable[..., list[str]]
    #: The holder of the token of our own in the request; None before authentication, and for users of the server.
    token_holder: TokenHolder | None = None
    #: Whether the request was authenticated by the server's token alone.
    has_server_token = False

    @property
    def state(self) -> ServerState:
        """The extension's state."""
        state: ServerState = self.settings[SETTING]
        return state

    @property
    def identity_provider(self) -> Any:
        """The server's identity provider, extended by tokens of kernels and of programs."""
        return TokenIdentityProvider(self.settings["identity_provider"])

    @property
    def principal(self) -> Principal:
        """The user, with the rights of the request's token."""
        user = self.current_user
        if self.token_holder is not None:
            principal = self.token_holder.principal
        elif isinstance(user, CatalogUser):
            principal = user.principal
        else:
            principal = create_user_principal(self.settings["identity_provider"], user)
        return restrict_principal(principal, self.request.headers) if self.state.is_shared_service else principal

    @property
    def reason_of_end(self) -> str:
        """Why the access of the caller ends while a connection is open."""
        holder = self.token_holder
        return "the token was revoked, or the rights of its user changed" if holder is None else holder.endings.reason

    def call_when_access_ends(self, on_end: Callable[[], None]) -> Callable[[], None]:
        """Call `on_end` when the token or the rights of the caller end, from any thread; return a function that cancels that."""
        if self.token_holder is not None:
            return self.token_holder.call_at_end(on_end)
        if not isinstance(self.current_user, CatalogUser):
            return lambda: None
        cancel: Callable[[], None] = self.settings["identity_provider"].call_when_access_ends(self.current_user, on_end)
        return cancel

    def count_request(self) -> None:
        """Count an authenticated request for the limits of its principal. Raises TooManyRequests."""
        headers = self.request.headers
        has_body = "Transfer-Encoding" in headers or headers.get("Content-Length", "0") != "0"
        if self.current_user is not None:
            principal = self.principal
            self.state.admission.record_request(principal.user)
            self.state.rate_limits.count_request(principal, has_body=has_body)

    def set_headers_of_failure(self, status: int, error: BaseException | None) -> None:
        """Set the headers that clients need after this status: when to try again, or how to authenticate."""
        if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
            seconds = error.retry_after_s if isinstance(error, Overloaded | TooManyRequests) else _RETRY_AFTER_S
            self.set_header("Retry-After", str(seconds))
        elif status == HTTPStatus.UNAUTHORIZED:
            self.set_header("WWW-Authenticate", "Bearer")
        elif isinstance(error, HeldForReview):
            self.set_header("Location", f"{self.base_url}colophon/api/proposals/{error.number}")

    async def require_jupyter_authorization(self, action: str) -> None:
        """Raise HTTPError 403 where Jupyter's authorizer denies the action on our resource.

        It knows no service accounts: for these, the scopes of the token decide.
        """
        holder = self.token_holder
        if holder is not None and is_service_account(holder.principal):
            allowed = bool(holder.principal.scopes & _SCOPES[action])
        else:
            allowed = await ensure_async(self.authorizer.is_authorized(self, self.current_user, action, RESOURCE))
        if not allowed:
            raise HTTPError(HTTPStatus.FORBIDDEN, f"User is not authorized to {action} on resource: {RESOURCE}.")

    def build_received_call(self, path: Mapping[str, str]) -> ReceivedCall:
        """Return the request for operations."""
        request, user, principal = self.request, self.current_user, self.principal
        # A display name that Jupyter generated is not the account's name (docs/decisions, 3).
        name = (user.display_name or user.name) if user.username == principal.user else principal.user
        return ReceivedCall(
            principal=principal,
            query=self.parse_query_parameters(),
            headers=request.headers,
            path=path,
            body=self.read_body,
            raw_path=str(request.path).removeprefix(self.base_url.rstrip("/")),
            base_url=self.base_url,
            display_name=name or principal.user,
            fingerprint=self._compute_request_fingerprint,
        )

    def parse_query_parameters(self) -> dict[str, list[str]]:
        """Return the query parameters, not stripped: blanks may be part of names."""
        return {name: self.get_query_arguments(name, strip=False) for name in self.request.query_arguments}

    def read_body(self) -> bytes:
        """Return the request body, decompressed. Raises MalformedBody, TooLarge."""
        return bytes(self.request.body)

    def _compute_request_fingerprint(self) -> str:
        """Compute a fingerprint of the request. This takes time if the body is large."""
        path = str(self.request.uri).removeprefix(self.base_url)
        headers = [self.request.headers.get(name, "") for name in FINGERPRINTED_HEADERS]
        return compute_request_fingerprint(str(self.request.method), path, headers, self.read_body())

    async def run_query_on_thread(self, work: "Callable[[Catalog], T]") -> T:
        """Read the catalog off the event loop, under the read deadline. Raises StorageError."""
        state = self.state
        if state.closed:
            raise StoreUnavailable("the server is stopping: try again when it has restarted")

        def read() -> T:
            with limit_reads_of_thread(state.settings.read_timeout_seconds):
                return work(state.get_or_open_catalog())

        return await asyncio.wrap_future(state.request_pool.submit_work(self.principal.user, read))
