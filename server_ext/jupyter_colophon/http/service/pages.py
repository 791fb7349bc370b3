"""The pages of the service for browsers: sign-in by JupyterHub (OAuth), one page about the account, and sign-out.

The cookie of a sign-in opens these pages only, never the catalog: pages of other users on the hub's origin could send it
in a request (docs/decisions/0042-a-shared-service-is-a-jupyter-server-without-routes.md).
"""

import hmac
import json
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from jupyter_server.auth.decorator import allow_unauthenticated
from jupyterhub.services.auth import HubOAuth
from tornado.escape import xhtml_escape
from tornado.httputil import url_concat
from tornado.web import HTTPError, RequestHandler

from jupyter_colophon.core.identity.user_namespace import make_user_namespace

if TYPE_CHECKING:
    from jupyter_colophon.http.service.hub_identity import HubIdentityProvider, HubUser

_STATE_COOKIE: Final = "colophon-sign-in"
#: How long a sign-in at the hub may take.
_SIGN_IN_SECONDS: Final = 600
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Colophon</title></head>
<body>
<h1>Colophon</h1>
<p>You are signed in as <strong>{user}</strong>.</p>
<dl>
<dt>Scopes</dt><dd>{scopes}</dd>
<dt>Groups</dt><dd>{groups}</dd>
<dt>Namespace of your notebooks</dt><dd>{namespace}</dd>
</dl>
<p>The catalog is in JupyterLab. Programs send a token of JupyterHub in the header <code>Authorization</code>.</p>
<form method="post" action="{sign_out}">{xsrf}<button type="submit">Sign out</button></form>
</body>
</html>
"""


class _PageHandler(RequestHandler):
    """A page: it is not cached, not framed, and loads nothing."""

    def initialize(self, provider: "HubIdentityProvider", oauth: HubOAuth) -> None:
        """Set who identifies users, and the client of the hub's OAuth."""
        self._provider, self._oauth = provider, oauth

    def set_default_headers(self) -> None:
        """Set the headers of every page, also of errors."""
        self.set_header("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("X-Content-Type-Options", "nosniff")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send the reason as text."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        reason = error.log_message if isinstance(error, HTTPError) and error.log_message else self._reason
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(reason)

    @property
    def root(self) -> str:
        """The path of the service at the hub."""
        return str(self.settings["base_url"])

    async def find_user(self) -> "HubUser | None":
        """Return the user of the cookie; None without a valid one. Raises HTTPError 503 without the hub."""
        token = self.get_secure_cookie(self._oauth.cookie_name)
        return await self._provider.find_user_of_token(token.decode("ascii", "replace")) if token else None

    def begin_sign_in(self) -> str:
        """Return the URL of the hub's page; a cookie remembers that this browser has begun the sign-in."""
        verifier, challenge, method = self._oauth.generate_pkce_code_challenge()
        state = secrets.token_urlsafe(16)
        # In the cookie, and not in this process: another process may serve the callback.
        self.set_secure_cookie(
            _STATE_COOKIE, json.dumps([state, verifier]), expires_days=None, max_age=_SIGN_IN_SECONDS, **self.cookie
        )
        parameters = {"state": state, "code_challenge": challenge, "code_challenge_method": method}
        return url_concat(self._oauth.login_url, parameters)

    @property
    def cookie(self) -> Mapping[str, Any]:
        """The attributes of cookies."""
        return {
            "path": self.root,
            "httponly": True,
            "samesite": "Lax",
            "secure": self.request.protocol == "https",
        }


class AccountPageHandler(_PageHandler):
    """Shows who is signed in; without a sign-in, the hub is asked who it is."""

    @allow_unauthenticated
    async def get(self) -> None:
        """Send the page, or redirect to the hub."""
        user = await self.find_user()
        if user is None:
            self.redirect(self.begin_sign_in())
            return
        values = {
            "user": user.username,
            "scopes": ", ".join(sorted(user.scopes)) or "none",
            "groups": ", ".join(sorted(user.groups)) or "none",
            "namespace": make_user_namespace(user.username),
            "sign_out": f"{self.root}logout",
        }
        self.finish(
            _PAGE.format(xsrf=self.xsrf_form_html(), **{key: xhtml_escape(text) for key, text in values.items()})
        )


class SignInHandler(_PageHandler):
    """Where the hub sends the browser after it has identified the user."""

    @allow_unauthenticated
    async def get(self) -> None:
        """Set the cookie of the user. Raises HTTPError 403 if this browser has not begun the sign-in."""
        verifier = self._take_verifier(self.get_query_argument("state", ""))
        if error := self.get_query_argument("error", ""):
            raise HTTPError(HTTPStatus.FORBIDDEN, f"JupyterHub refused the sign-in: {error}")
        code = self.get_query_argument("code", "")
        token = await self._oauth.token_for_code(code, code_verifier=verifier, sync=False)
        if await self._provider.find_user_of_token(token) is None:
            raise HTTPError(HTTPStatus.FORBIDDEN, "you have no access to this service: ask an admin of the hub")
        self.set_secure_cookie(self._oauth.cookie_name, token, expires_days=None, **self.cookie)
        self.redirect(self.root)

    def _take_verifier(self, state: str) -> str:
        cookie = self.get_secure_cookie(_STATE_COOKIE, max_age_days=1)
        self.clear_cookie(_STATE_COOKIE, path=self.root)
        expected, verifier = json.loads(cookie) if cookie else ("", "")
        if not expected or not hmac.compare_digest(state.encode(), expected.encode()):
            raise HTTPError(
                HTTPStatus.FORBIDDEN,
                f"this sign-in was started in another browser, or has expired: open {self.root} again",
            )
        return str(verifier)


class SignOutHandler(_PageHandler):
    """Ends the sign-in. Tornado checks the XSRF token of the form."""

    @allow_unauthenticated
    async def post(self) -> None:
        """Forget the user, and go to the hub's home page."""
        self.clear_cookie(self._oauth.cookie_name, path=self.root)
        self.redirect(self._oauth.hub_host + self._oauth.hub_prefix)


def list_page_handlers(provider: "HubIdentityProvider", oauth: HubOAuth) -> list[tuple[str, type, dict[str, Any]]]:
    """Return the routes of the pages below the base URL."""
    arguments = {"provider": provider, "oauth": oauth}
    return [
        (r"/?", AccountPageHandler, arguments),
        ("/oauth_callback", SignInHandler, arguments),
        ("/logout", SignOutHandler, arguments),
    ]
